import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { BodyRule, Profile } from '../../../schemas/coa/profile.ts';
import { mhqaProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { answer, observation, plan, think } from '../../../schemas/coa/profiles/tags.ts';
import type { TraceEvent } from '../../../schemas/trace.ts';
import { RowRefusal } from '../rowRefusal.ts';
import type { ForeignCall, ForeignRun, ForeignTurn } from '../runs/foreignRun.ts';
import { ImportRecorder } from '../runs/importRecorder.ts';
import { urlNames } from '../runs/toolInput.ts';
import { isActionTool, type ToolMap } from '../runs/toolTags.ts';
import { TurnReader } from '../runs/turnReader.ts';

/** Actions by tags of the built-in profiles; other events are tool calls. */
const actionTags: ReadonlySet<string> = new Set([think.tag, plan.tag, answer.tag]);

/** Predecessor of a run's first action. */
export const START = '';

/** Key of a tool call action: a tool may be called `plan`. */
export function callOf(tool: string): string {
  return `call ${tool}`;
}

/** Common properties of all calls of a tool. */
export interface ToolShape {
  /** Arguments of any call. */
  readonly args: Set<string>;
  /** Forms other than `json` that fit every call. */
  readonly forms: Set<keyof typeof holds>;
}

const holds = {
  code: ({ code, stdin = '', ...others }: JsonObject) =>
    isWords(code) && typeof stdin === 'string' && Object.keys(others).length === 0,
  // One address, or a list of addresses without the separator bar.
  urls: (input: JsonObject) =>
    isOne(input, (value, name) => urlNames.includes(name) && isUrls([value ?? null].flat())),
  text: (input: JsonObject) => isOne(input, isWords),
} satisfies Partial<Record<BodyRule, (input: JsonObject) => boolean>>;

/** True for a single argument of a kind. */
function isOne(input: JsonObject, is: (value: JsonValue | undefined, name: string) => boolean): boolean {
  const [only, ...others] = Object.entries(input);
  return only !== undefined && others.length === 0 && is(only[1], only[0]);
}

function isWords(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isUrls(urls: readonly JsonValue[]): boolean {
  return urls.length > 0 && urls.every((url) => typeof url === 'string' && /^https?:\/\/[^\s|]+$/.test(url));
}

/** Survey of many runs: their tools with arguments, and the order of actions. Independent of the order of runs. */
export class RunSurvey {
  /** Arguments by tool name in the rows, or by the tag that `--map` assigns. */
  readonly tools = new Map<string, ToolShape>();
  /** Keys in `tools` by tool name in the rows. */
  readonly names = new Map<string, string>();
  /** Keys in `tools` that are tags of `--map`. */
  readonly mapped = new Set<string>();
  /** Names of sub-agents: their own work replaces the call. */
  readonly agents = new Set<string>();
  /** Direct successors of an action, by {@link callOf} of keys in `tools`, `plan` and `answer`. */
  readonly follows = new Map<string, Set<string>>();
  /** True if any agent thinks. */
  thinks = false;
  readonly #map: ToolMap;

  /** @param map `--map tool=tag` */
  constructor(map: ToolMap) {
    this.#map = map;
  }

  add({ turns }: ForeignRun): void {
    const calls = [...callsIn(turns)];
    const agents = new Set(calls.flatMap(({ name, subTurns }) => (subTurns ? [name] : [])));
    for (const name of agents) this.agents.add(name);
    const called = calls.filter(({ name }) => !agents.has(name) && !this.#isAction(name));
    for (const { name, input } of called) {
      const { args, forms } = this.#shapeOf(name);
      for (const arg of Object.keys(input)) args.add(arg);
      for (const form of forms) if (!holds[form](input)) forms.delete(form);
    }
    const events = this.#eventsOf(turns, [...new Set(called.map(({ name }) => name))]);
    this.#note(events);
    // Conversion may omit failed calls.
    this.#note(events.filter(({ failure }) => failure === null));
  }

  #isAction(name: string): boolean {
    const tag = this.#map.get(name);
    return tag === undefined ? isActionTool(name) : actionTags.has(tag);
  }

  #shapeOf(name: string): ToolShape {
    const tag = this.#map.get(name);
    if (tag !== undefined) this.mapped.add(tag);
    const key = tag ?? name;
    this.names.set(name, key);
    const shape = this.tools.get(key) ?? {
      args: new Set(),
      forms: new Set(['code', 'urls', 'text'] as const),
    };
    this.tools.set(key, shape);
    return shape;
  }

  /** Events of importing the run under a permissive profile; none for a refused run. */
  #eventsOf(turns: readonly ForeignTurn[], names: readonly string[]): readonly TraceEvent[] {
    const recorder = new ImportRecorder({ task_id: '' });
    const tags = new Map(names.map((name, at) => [name, `t${at}`]));
    try {
      new TurnReader(anyOrder(tags.values()), new Map([...this.#map, ...tags]), recorder).read(turns);
    } catch (error) {
      if (error instanceof RowRefusal) return [];
      throw error;
    }
    const toolOf = (tag: string) => callOf(this.names.get(names[Number(tag.slice(1))]!)!);
    return recorder.events.map((event) =>
      event.type === 'tool_call' ? { ...event, tool: toolOf(event.tool) } : event,
    );
  }

  #note(events: readonly TraceEvent[]): void {
    let last = START;
    for (const event of events) {
      if (event.type === 'agent_call') this.thinks ||= event.answer?.think !== undefined;
      const action = actionOf(event);
      if (action === undefined) continue;
      const next = this.follows.get(last) ?? new Set();
      this.follows.set(last, next.add(action));
      if (action === answer.tag) return;
      last = action;
    }
  }
}

function actionOf(event: TraceEvent): string | undefined {
  if (event.type === 'tool_call') return event.tool;
  const isAction = event.role !== 'orchestrator' && event.role !== 'tool_agent';
  return isAction ? (event.action ?? undefined) : undefined;
}

function* callsIn(turns: readonly ForeignTurn[]): Generator<ForeignCall> {
  for (const call of turns.flatMap((turn) => turn.calls)) {
    yield call;
    if (call.subTurns) yield* callsIn(call.subTurns);
  }
}

/** Profile with these tags in any order; importing only looks at tags. */
function anyOrder(names: Iterable<string>): Profile {
  const tools = [...names].map((tag) => ({ tag, agent: tag, kind: 'tool' as const, body: 'json' as const }));
  return { ...mhqaProfile, tags: [think, plan, ...tools, observation, answer] };
}
