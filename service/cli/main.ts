import '../../src/cli-kit/resolve-modules.ts';
import { runProgram } from '../../src/cli-kit/program.ts';
import { createCourierService } from './program.ts';

await runProgram(createCourierService(), process.argv.slice(2));
