/** Loaded with `--import` into a program: writes the URL of every module that it loads to the file of RECORDED_MODULES. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url);
    return nextLoad(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.RECORDED_MODULES ?? '', [...loaded].join('\n')));
