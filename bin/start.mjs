import { launch } from './checkout.mjs';

launch('src/cli/main.ts', ['demo', ...process.argv.slice(2)]);
