import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { readConfig } from '../../service/cli/config/file.ts';
import { toSettings } from '../../service/cli/config/to-settings.ts';
import { EXIT } from '../../src/cli-kit/exit-codes.ts';
import { ROOT } from '../suites.ts';
import { parseYaml, readYaml } from './files.ts';

interface Container {
  readonly image: string;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean; readonly allowPrivilegeEscalation: boolean };
  readonly resources: { readonly requests: object; readonly limits: object };
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly securityContext: { readonly runAsNonRoot: boolean };
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds?: number;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly template?: { spec: PodSpec }; readonly jobTemplate?: JobTemplate };
}

interface JobTemplate {
  readonly spec: {
    readonly activeDeadlineSeconds: number;
    readonly podFailurePolicy: { readonly rules: readonly { readonly onExitCodes?: { readonly values: number[] } }[] };
    readonly template: { readonly spec: PodSpec };
  };
}

const schema = JSON.parse(readFileSync(new URL('kubernetes-1.32.schema.json', import.meta.url), 'utf8')) as {
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: object;
};
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(schema, 'kubernetes');

function findMistakes(manifest: Manifest): string[] {
  const definition = schema.kinds[manifest.kind];
  if (definition === undefined) return [`${manifest.kind} is not in the schema`];
  const isValid = ajv.getSchema(`kubernetes#/definitions/${definition}`)!;
  if (isValid(manifest)) return [];
  return (isValid.errors ?? []).map(
    ({ instancePath, message, params }) => `${manifest.kind}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const files = globSync('deploy/kubernetes/*/*.yaml', { cwd: ROOT }).filter(
  (file) => !['kustomization.yaml', 'courier.yaml', 'courier-service.yaml'].includes(basename(file)),
);
const manifests = files.flatMap((file) => readYaml<Manifest>(file.replace(/^deploy\//, '')));
const getPod = ({ spec }: Manifest): PodSpec | undefined =>
  spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec;

describe('the Kubernetes files', () => {
  test('are valid for Kubernetes 1.32, without a field that it does not know', () => {
    assert.ok(manifests.length >= 7);
    assert.deepEqual(manifests.flatMap(findMistakes), []);
    const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment') as [Manifest];
    assert.notDeepEqual(findMistakes({ ...deployment, spec: { ...deployment.spec, replica: 2 } } as Manifest), []);
  });

  test('run every pod without rights, with a root that cannot be written to, and with limits', () => {
    const pods = manifests.map(getPod).filter((pod) => pod !== undefined);
    assert.equal(pods.length, 3);
    for (const { containers, securityContext, enableServiceLinks } of pods) {
      assert.deepEqual([securityContext.runAsNonRoot, enableServiceLinks], [true, false]);
      for (const container of containers) {
        assert.equal(container.securityContext.readOnlyRootFilesystem, true);
        assert.equal(container.securityContext.allowPrivilegeEscalation, false);
        assert.ok('memory' in container.resources.limits && 'cpu' in container.resources.requests);
      }
    }
  });

  test('give the service settings that it accepts, and longer to end than it takes', () => {
    const { stopMs } = toSettings(readConfig(join(ROOT, 'deploy/kubernetes/service/courier-service.yaml')), {});
    const pod = manifests.map(getPod).find((each) => each?.containers[0]?.image === 'courier-service');
    const pauseSeconds = pod?.containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0;
    assert.ok((pod?.terminationGracePeriodSeconds ?? 0) * 1_000 > pauseSeconds * 1_000 + (stopMs ?? Number.NaN));
  });

  test('try a daily run again only when there was no response', () => {
    const [job] = manifests.filter(({ kind }) => kind === 'CronJob').map(({ spec }) => spec?.jobTemplate?.spec);
    const [rule] = job?.podFailurePolicy.rules ?? [];
    const { done, transient, changesPending, interrupted, terminated, ...final } = EXIT;
    assert.deepEqual(rule?.onExitCodes?.values, Object.values(final).toSorted());
    assert.ok((job?.activeDeadlineSeconds ?? 0) > 4 * 3600 + 130, '--max-time and the time to stop');
  });

  const noKubectl = spawnSync('kubectl', ['version', '--client']).status !== 0 && 'kubectl is not installed';
  for (const overlay of ['worker', 'cron', 'example', 'service']) {
    test(`kustomize builds ${overlay}, with pinned images in one namespace`, { skip: noKubectl }, () => {
      const built = spawnSync('kubectl', ['kustomize', join(ROOT, 'deploy/kubernetes', overlay)], { encoding: 'utf8' });
      assert.equal(built.status, 0, built.stderr);
      const all = parseYaml<Manifest>(built.stdout);
      assert.deepEqual(all.flatMap(findMistakes), []);
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      for (const manifest of all) {
        const namespace = overlay === 'service' ? 'courier-service' : 'courier';
        if (manifest.kind !== 'Namespace') assert.equal(manifest.metadata.namespace, namespace);
        for (const { image } of getPod(manifest)?.containers ?? [])
          assert.match(image, new RegExp(`(^|/)(sitemap-courier|courier-service):${version}$`));
      }
    });
  }
});
