import { registerHooks } from 'node:module';
import type { Activities } from '../../src/temporal-api/activities.ts';
import { type Command, type Job, toPayload } from '../simulator/temporal/history.ts';
import { Instance, type UpdateOutcome } from '../simulator/temporal/instance.ts';

const WORKFLOWS = new URL('../../workflows/', import.meta.url).href;
const STAND_IN = new URL('../simulator/temporal/workflow.ts', import.meta.url).href;

/** Marks the copy of the workflow code that runs on the stand-in: another test of the process may have loaded it with Temporal's SDK. */
const PLAYED = '?played';

registerHooks({
  resolve(specifier, context, next) {
    if (context.parentURL?.startsWith(WORKFLOWS) !== true || !context.parentURL.endsWith(PLAYED))
      return next(specifier, context);
    if (specifier === '@temporalio/workflow') return { url: STAND_IN, shortCircuit: true };
    const resolved = next(specifier, context);
    return resolved.url.startsWith(WORKFLOWS) ? { ...resolved, url: `${resolved.url}${PLAYED}` } : resolved;
  },
});

type Answers = { readonly [Name in keyof Activities]?: () => unknown };

/** A workflow in memory. What it asks of an activity is answered at once; nothing else happens but what a test tells it. */
export class PlayedWorkflow {
  /** What it has asked for, in order. */
  readonly commands: Command[] = [];
  readonly updates: UpdateOutcome[] = [];
  readonly #instance: Instance;
  readonly #answers: Answers;

  private constructor(instance: Instance, answers: Answers) {
    this.#instance = instance;
    this.#answers = answers;
  }

  /** @param answers an activity without one goes on forever */
  static async start(
    type: keyof typeof import('../../workflows/index.ts'),
    input: unknown,
    answers: Answers,
    { suggestsNew = false } = {},
  ): Promise<PlayedWorkflow> {
    const workflows = (await import(`${WORKFLOWS}index.ts${PLAYED}`)) as typeof import('../../workflows/index.ts');
    const instance = new Instance({
      ...{ workflowId: 'run-1', runId: '1', type, taskQueue: '', args: [input], now: () => 0 },
      run: workflows[type] as (...args: never[]) => Promise<unknown>,
    });
    instance.continueAsNewSuggested = suggestsNew;
    const played = new PlayedWorkflow(instance, answers);
    await played.tell({ kind: 'start' });
    return played;
  }

  /** What the Web UI shows of it now. */
  get details(): string {
    return this.#instance.details;
  }

  /** Runs it until it waits for something that has no answer. */
  async tell(job: Job): Promise<void> {
    for (const waiting = [job]; waiting.length > 0; ) {
      const { commands, updates } = await this.#apply(waiting.shift()!);
      this.commands.push(...commands);
      this.updates.push(...updates);
      for (const command of commands) {
        const answer = command.kind === 'activity' ? this.#answers[command.type as keyof Activities] : undefined;
        if (command.kind !== 'activity' || answer === undefined) continue;
        waiting.push({ kind: 'activity', seq: command.seq, result: toPayload(answer()) });
      }
    }
  }

  /** The stand-in runs the microtasks itself, so no microtask may call it. */
  #apply(job: Job): Promise<ReturnType<Instance['apply']>> {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<Instance['apply']>>();
    setImmediate(() => {
      try {
        resolve(this.#instance.apply([job]));
      } catch (error) {
        reject(error);
      }
    });
    return promise;
  }

  /** What it has asked for, of one kind. */
  list<K extends Command['kind']>(kind: K): Extract<Command, { kind: K }>[] {
    return this.commands.filter((each) => each.kind === kind) as Extract<Command, { kind: K }>[];
  }
}
