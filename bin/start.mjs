import { launch } from './launch.mjs';

launch('src/cli/main', ['demo', ...process.argv.slice(2)]);
