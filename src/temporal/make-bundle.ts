// A program: bundles the workflow code of a file and writes the bundle with its inputs to standard output, as JSON. A
// process of its own, because the bundler's 100 MB would stay with a worker for as long as it lives.
// Arguments: the file, the module that converts failures, then modules with workflow interceptors.
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { toStoredBundle } from './bundle-store.ts';

const [workflowsPath, failureConverterPath, ...workflowInterceptorModules] = process.argv.slice(2);
if (workflowsPath === undefined || failureConverterPath === undefined) throw new TypeError('Which files?');

const inputs = new Set<string>();
const { code } = await bundleWorkflowCode({
  workflowsPath,
  failureConverterPath,
  workflowInterceptorModules,
  // Standard output is the bundle's.
  logger: new DefaultLogger('ERROR', ({ message }) => process.stderr.write(`${message}\n`)),
  webpackConfigHook: (config) => ({
    ...config,
    plugins: [
      ...(config.plugins ?? []),
      (compiler) =>
        compiler.hooks.done.tap('inputs', ({ compilation }) => {
          for (const file of compilation.fileDependencies) inputs.add(file);
        }),
    ],
  }),
});
process.stdout.write(JSON.stringify(toStoredBundle(code, inputs)));
