import { canonicalJson } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { OagentsRow, SubAgentRecord } from '../../schemas/interchange/oagents.ts';
import { refusal } from './rowRefusal.ts';
import type { ForeignTurn } from './runs/foreignRun.ts';

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
  readonly #records: ReadonlyMap<string, SubAgentRecord>;
  readonly #linked = new Map<string, string>();
  readonly #names: ReadonlySet<string>;

  constructor({ search_agent_actions: actions, intermediate_steps: steps }: OagentsRow) {
    const records = new Map(actions == null || Array.isArray(actions) ? [] : Object.entries(actions));
    const calls = steps.flatMap((step) => (step.step_type === 'action' ? (step.tool_calls ?? []) : []));
    const asked = calls.filter(({ function: { name, arguments: args } }) => {
      return name.endsWith('_agent') || (typeof args !== 'string' && records.has(subtaskOf(args) ?? ''));
    });
    this.#records = records;
    this.#names = new Set(asked.map((call) => call.function.name));
    refuseLeaks([...records]);
  }

  /** The turns of the sub-agent that a call went to; undefined for a call of a tool. */
  turnsOf(name: string, input: JsonObject, path: string): ForeignTurn[] | undefined {
    if (!this.#names.has(name)) return undefined;
    const subtask = subtaskOf(input);
    const record = subtask === undefined ? undefined : this.#records.get(subtask);
    const where = `${path}.function.arguments`;
    if (subtask === undefined || !record)
      throw refusal('subtask_not_found', where, `it is of ${name}`, { subtask: subtask ?? null });
    const earlier = this.#linked.get(subtask);
    if (earlier !== undefined) throw refusal('repeated_subtask', where, `see ${earlier}`, { subtask });
    this.#linked.set(subtask, path);
    return record.tool_calls.map((call, at) => turnOf(subtask, call, at));
  }

  /** Throws for records that no call of the manager led to. */
  refuseUnlinked(): void {
    const loose = this.#records.keys().find((subtask) => !this.#linked.has(subtask));
    if (loose !== undefined) throw refusal('subtask_not_called', entryPath(loose));
  }
}

function refuseLeaks(records: readonly (readonly [string, SubAgentRecord])[]): void {
  for (const [at, [subtask, record]] of records.slice(1).entries()) {
    const { answer, tool_calls: calls } = records[at]![1];
    const isBegun =
      calls.length > 0 &&
      calls.every((call, nth) => canonicalJson(call) === canonicalJson(record.tool_calls[nth]));
    if (answer == null || answer === '' || isBegun)
      throw refusal('leaked_calls', `${entryPath(subtask)}.tool_calls`);
  }
}

function subtaskOf({ task, request }: JsonObject): string | undefined {
  const text = task ?? request;
  return typeof text === 'string' ? text : undefined;
}

function turnOf(subtask: string, made: SubAgentRecord['tool_calls'][number], at: number): ForeignTurn {
  const { name, args, observation = null } = made;
  const path = `${entryPath(subtask)}.tool_calls[${at}]`;
  const input = typeof args === 'string' ? { input: args } : args;
  const call = { path, name, input, observation, extra: { oagents: { subtask, name } } };
  return { path, text: '', calls: [call] };
}

function entryPath(subtask: string): string {
  return `search_agent_actions[${JSON.stringify(subtask)}]`;
}
