import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { validate } from 'dockerfile-utils';
import { listSettings } from '../../service/cli/config/schema.ts';
import { ROOT } from '../suites.ts';
import { isPinned, read } from './files.ts';

const dockerfile = read('container/Dockerfile');
/** The folders that tsconfig.build.json compiles. */
const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.build.json'), 'utf8')) as { include: string[] };

/** The instructions of a stage, continued lines joined. */
function listInstructions(stage: string): string[] {
  const stages = dockerfile.replace(/\\\n\s*/g, '').split(/^(?=FROM )/m);
  const found = stages.find((text) => text.split('\n')[0]?.endsWith(` AS ${stage}`)) ?? '';
  return found.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const listCopied = (stage: string): string[] =>
  listInstructions(stage).flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);

describe('the container file', () => {
  test('has no mistake that a linter finds', () => {
    assert.deepEqual(
      validate(dockerfile).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
      [],
    );
    assert.equal(validate(dockerfile.replace('\nUSER', '\nUSERS')).length, 1, 'the linter notices nothing');
  });

  test('copies what the build compiles, and its context holds exactly what it copies', () => {
    const built = listCopied('build');
    for (const folder of include) assert.ok(built.includes(folder), `${folder} is compiled and not copied`);
    const copied = [...built, ...listCopied('files')];
    for (const path of copied) assert.ok(existsSync(join(ROOT, path)), path);
    const context = read('container/Dockerfile.dockerignore').split('\n').filter(Boolean);
    assert.equal(context[0], '**');
    assert.deepEqual(
      context
        .slice(1)
        .map((line) => line.replace(/^!/, ''))
        .toSorted(),
      [...new Set(copied)].toSorted(),
    );
  });

  test('pins every image, and its programs run without rights, with a health check, and get the signal themselves', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    for (const image of images.filter((each) => !['scratch', 'base'].includes(each)))
      assert.ok(isPinned(image), `${image} is not pinned`);
    assert.ok(listInstructions('base').includes('USER 1000:1000'));
    for (const program of ['courier', 'courier-service']) {
      const lines = listInstructions(program);
      assert.equal(lines[0], `FROM base AS ${program}`);
      assert.ok(
        lines.some((line) => line.startsWith('HEALTHCHECK') && line.includes('/healthz')),
        program,
      );
      assert.ok(
        lines.some((line) => line.startsWith('ENTRYPOINT ["node"')),
        'a shell would not hand the signal on',
      );
      assert.ok(!lines.some((line) => line.startsWith('USER')));
    }
  });

  test('starts the service as the launcher does, with settings that exist', () => {
    const [flag = ''] =
      /--max-semi-space-size=\d+/.exec(readFileSync(join(ROOT, 'bin/courier-service.mjs'), 'utf8')) ?? [];
    assert.notEqual(flag, '');
    for (const text of [dockerfile, read('systemd/courier-service.service')]) {
      assert.ok(text.includes(flag));
      const known = listSettings().map(({ variable }) => variable);
      for (const [name] of text.matchAll(/COURIER_SERVICE_\w+/g)) assert.ok(known.includes(name), name);
    }
  });
});
