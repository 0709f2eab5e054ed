import { canonicalJson } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { OagentsRow, SubAgentRecord } from '../../schemas/interchange/oagents.ts';
import { RowRefusal } from './rowRefusal.ts';
import { type ForeignTurn, unknownFigures } from './runs/foreignRun.ts';

type Entries = Readonly<Record<string, SubAgentRecord>>;

/**
 * What sub-agents did, by the text of the subtask. The log's own faults make that ambiguous, and are refused:
 *
 * | fault of the log | sign of it |
 * |---|---|
 * | a repeated subtask overwrites the earlier record | two calls with one text |
 * | a record is missing | a call whose text has none |
 * | a record is of no call | a text that no call has |
 * | after an exit at the most steps, calls leak into the next record | a record without an answer that others follow, or one whose calls begin the next one |
 */
export class SubAgentRecords {
  readonly #entries: Entries;
  readonly #linked = new Map<string, string>();
  readonly #names: ReadonlySet<string>;

  constructor({ search_agent_actions: actions, intermediate_steps }: OagentsRow) {
    this.#entries = actions == null || Array.isArray(actions) ? {} : (actions as Entries);
    this.#names = subAgentNames(intermediate_steps, this.#entries);
    this.#refuseLeaks();
  }

  /** The turns of the sub-agent that a call went to; undefined for a call of a tool. */
  turnsOf(name: string, input: JsonObject, path: string): ForeignTurn[] | undefined {
    if (!this.#names.has(name)) return undefined;
    const subtask = subtaskOf(input);
    const refuse = (code: string, why: string): never => {
      throw new RowRefusal('ambiguous_row', code, `${path}.function.arguments`, why, {
        subtask: subtask ?? null,
      });
    };
    if (subtask === undefined) return refuse('subtask_not_found', `the call of ${name} names no subtask`);
    const record = Object.hasOwn(this.#entries, subtask) ? this.#entries[subtask] : undefined;
    if (!record) return refuse('subtask_not_found', 'search_agent_actions has no such subtask');
    const earlier = this.#linked.get(subtask);
    if (earlier !== undefined) {
      return refuse(
        'repeated_subtask',
        `${earlier} has the same subtask: its record was overwritten by this one's`,
      );
    }
    this.#linked.set(subtask, path);
    return record.tool_calls.map((call, at) => turnOf(subtask, call, at));
  }

  /** Throws for records that no call of the manager led to. */
  refuseUnlinked(): void {
    const loose = Object.keys(this.#entries).find((subtask) => !this.#linked.has(subtask));
    if (loose === undefined) return;
    throw new RowRefusal(
      'ambiguous_row',
      'subtask_not_called',
      entryPath(loose),
      'no step calls a sub-agent with this subtask',
    );
  }

  #refuseLeaks(): void {
    const entries = Object.entries(this.#entries);
    entries.slice(1).forEach(([subtask, record], at) => {
      const [, before] = entries[at]!;
      const refuse = (why: string) => {
        throw new RowRefusal('ambiguous_row', 'leaked_calls', `${entryPath(subtask)}.tool_calls`, why);
      };
      if (isBlank(before.answer))
        refuse('the subtask before it ended without an answer, so its calls may stand here too');
      if (beginsWith(record, before)) refuse('begins with all calls of the subtask before it');
    });
  }
}

function subAgentNames(steps: OagentsRow['intermediate_steps'], entries: Entries): ReadonlySet<string> {
  const calls = steps.flatMap((step) => (step.step_type === 'action' ? (step.tool_calls ?? []) : []));
  const linked = calls.filter(({ function: { name, arguments: args } }) => {
    const subtask = typeof args === 'string' ? undefined : subtaskOf(args);
    return name.endsWith('_agent') || (subtask !== undefined && Object.hasOwn(entries, subtask));
  });
  return new Set(linked.map((call) => call.function.name));
}

function subtaskOf({ task, request }: JsonObject): string | undefined {
  const text = task ?? request;
  return typeof text === 'string' ? text : undefined;
}

function turnOf(
  subtask: string,
  { name, args, observation }: SubAgentRecord['tool_calls'][number],
  at: number,
): ForeignTurn {
  const path = `${entryPath(subtask)}.tool_calls[${at}]`;
  const input = typeof args === 'string' ? { input: args } : args;
  const call = { path, name, input, observation: observation ?? null, extra: { oagents: { subtask, name } } };
  return { path, reasoning: null, text: '', calls: [call], figures: unknownFigures };
}

function isBlank(answer: SubAgentRecord['answer']): boolean {
  return answer == null || answer === '';
}

function beginsWith(record: SubAgentRecord, before: SubAgentRecord): boolean {
  const calls = before.tool_calls;
  return (
    calls.length > 0 &&
    calls.every((call, at) => canonicalJson(call) === canonicalJson(record.tool_calls[at]))
  );
}

function entryPath(subtask: string): string {
  return `search_agent_actions[${JSON.stringify(subtask)}]`;
}
