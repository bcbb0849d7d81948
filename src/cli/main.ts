import '../cli-kit/resolve-modules.ts';
import { runProgram } from '../cli-kit/program.ts';
import { createCourier } from './program.ts';

await runProgram(createCourier(), process.argv.slice(2));
