import fc from 'fast-check';
import type { JsonObject } from '../../base/json.ts';
import { reflectionCriteria, reflectionGrades } from '../../schemas/coa/bodies.ts';
import { allowedActions, isFinal, type TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, type TagRule, tagRule } from '../../schemas/coa/profile.ts';
import type { ConvertConfig } from '../../schemas/config/convert.ts';
import { isAction, roleOfAction } from '../../schemas/interchange/actionAnswer.ts';
import type { Trace } from '../../schemas/trace.ts';
import { actionBody } from '../../stages/convert/traceBlocks.ts';
import { taskOf } from './traceFixture.ts';
import { type AgentNode, TraceTree } from './traceTree.ts';
import { harmlessText } from './trajectoryArbitrary.ts';

/** Text that a tool may show: anything, and above all what looks like structure. */
const hostileText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc
      .array(
        fc.constantFrom(
          '</observation>',
          '\n\n',
          '<answer>42</answer>',
          '<|im_end|>',
          '<',
          '\\',
          'a',
          '\r\n',
          '\u0338',
          '[INST]',
        ),
        { minLength: 1 },
      )
      .map((parts) => parts.join('')),
  )
  .filter((text) => text.trim() !== '');

/** How a team comes by the results of a tool. */
const manners = ['plain', 'parallel', 'agents', 'subAgents', 'retry', 'again', 'givenUp', 'slip'] as const;
type Manner = (typeof manners)[number];

const material = fc.record({
  choice: fc.nat(),
  usesTool: fc.boolean(),
  manner: fc.constantFrom(...manners),
  reasons: fc.boolean(),
  failsFirst: fc.boolean(),
  words: harmlessText.map((text) => text.replaceAll('```', "'''")),
  seen: hostileText,
  grade: fc.constantFrom(...reflectionGrades),
  score: fc.integer({ min: 1, max: 4 }),
});
type Material = typeof material extends fc.Arbitrary<infer T> ? T : never;

const towardsTheEnd = ['answer', 'double_check', 'suggested_answer', 'reflection'];

/**
 * Traces with calls made at once, sub-agents at work at the same time, failures, retries and malformed asks, all of
 * which the profile can say under these settings. Every text names its place among the events: an agent's words
 * `say3.`, its reasoning `mull3.`, a malformed answer `slip3.`, what a tool shows or fails with `see3.`.
 */
export function traceTreeArbitrary(profile: Profile, settings: ConvertConfig): fc.Arbitrary<Trace> {
  return fc.tuple(fc.array(material, { maxLength: 6 }), material).map(([wandering, last]) => {
    const team = new Team(profile, settings);
    const good: Material = { ...last, manner: 'plain', score: 4, grade: 'Good' };
    while (!team.hasEnded()) team.act(wandering.shift() ?? good, wandering.length > 0);
    return team.tree.trace();
  });
}

class Team {
  readonly tree: TraceTree;
  readonly #profile: Profile;
  readonly #settings: ConvertConfig;
  readonly #taken: TakenAction[] = [];

  constructor(profile: Profile, settings: ConvertConfig) {
    this.#profile = profile;
    this.#settings = settings;
    this.tree = new TraceTree(taskOf(profile.name));
  }

  hasEnded(): boolean {
    const last = this.#taken.at(-1);
    if (last === undefined) return false;
    const isConfirmed = tagRule(this.#profile, last.tag)?.kind === 'verification';
    return isFinal(this.#profile, last.tag) || (isConfirmed && this.#allowed()[0] === 'answer');
  }

  act(given: Material, wanders: boolean): void {
    const allowed = this.#allowed();
    const end = towardsTheEnd.find((tag) => allowed.includes(tag)) ?? allowed[0]!;
    const tools = allowed.filter((tag) => tagRule(this.#profile, tag)?.kind === 'tool');
    const among = given.usesTool && tools.length > 0 ? tools : allowed;
    const rule = tagRule(this.#profile, wanders ? among[given.choice % among.length]! : end)!;
    if (rule.kind === 'tool') this.#useTool(rule, given);
    else this.#speak(rule, given);
  }

  #allowed(): readonly string[] {
    return allowedActions(this.#profile, this.#taken);
  }

  #speak(rule: TagRule, given: Material): void {
    if (!isAction(rule)) throw new Error(`<${rule.tag}> is no action`);
    const role = roleOfAction(rule.kind);
    if (given.manner === 'slip') this.#agent(given, { role, action: null, failure: 'gave up' });
    const needsThink = this.#profile.think_before.includes(rule.tag);
    const answer: JsonObject = {
      ...(needsThink && { think: this.#say(given) }),
      ...answerOf(rule.kind, this.#say(given), given),
    };
    this.#agent(given, { role, action: rule.tag, answer });
    this.#taken.push({ tag: rule.tag, body: actionBody(rule, answer, this.#profile.domain)! });
  }

  #useTool(rule: TagRule, given: Material): void {
    const { tag } = rule;
    const repeats = this.#profile.follows[tag]!.includes(tag);
    const mayFail = repeats || this.#settings.failed_calls === 'leave_out';
    const orchestrator = this.#think(given, tag);
    const manner = this.#possible(given.manner, repeats, mayFail);
    const fails = given.failsFirst && mayFail;
    if (manner === 'parallel') {
      this.#call(rule, given, fails, orchestrator);
      this.#call(rule, given, false, orchestrator);
      this.#call(rule, given, fails, orchestrator);
    } else if (manner === 'agents') {
      this.#call(rule, given, fails, this.#ask(given, tag, orchestrator));
      this.#call(rule, given, false, this.#ask(given, tag, orchestrator));
    } else if (manner === 'subAgents') {
      const one = this.#think(given, tag, orchestrator);
      const two = this.#think(given, tag, orchestrator);
      const shown = this.#call(rule, given, false, one);
      this.#call(rule, given, fails, two);
      this.#call(rule, given, false, this.#think(given, tag, shown));
    } else if (manner === 'retry' || manner === 'again') {
      this.#call(rule, given, true, this.#ask(given, tag, orchestrator));
      if (manner === 'again') this.#think(given, tag);
      this.#call(rule, given, false, this.#ask(given, tag));
    } else if (manner === 'givenUp') this.#call(rule, given, true, this.#ask(given, tag));
    else {
      if (manner === 'slip') this.#agent(given, { role: 'tool_agent', action: tag, failure: 'gave up' });
      this.#call(rule, given, false, this.#ask(given, tag));
    }
  }

  #possible(manner: Manner, repeats: boolean, mayFail: boolean): Manner {
    const several = manner === 'parallel' || manner === 'agents' || manner === 'subAgents';
    const failing = manner === 'retry' || manner === 'again' || manner === 'givenUp';
    return (several && !repeats) || (failing && !mayFail) ? 'plain' : manner;
  }

  #think(given: Material, tag: string, parent?: string): string {
    const answer = { think: this.#say(given), next: tag };
    return this.#agent(given, { role: 'orchestrator', action: tag, answer }, parent);
  }

  #ask(given: Material, tag: string, parent?: string): string {
    return this.#agent(given, { role: 'tool_agent', action: tag }, parent);
  }

  #agent(given: Material, node: AgentNode, parent?: string): string {
    const at = this.tree.events.length;
    const reasoning = given.reasons ? { reasoning: `${given.words} mull${at}.` } : {};
    const malformed = given.manner === 'slip' ? [{ content: `slip${at}.`, error: `slip${at}.` }] : [];
    return this.tree.agent({ ...node, ...reasoning, malformed }, parent);
  }

  #call(rule: TagRule, given: Material, failed: boolean, parent: string): string {
    const input = inputOf(rule, this.#say(given), this.tree.events.length);
    const seen = `${given.seen} see${this.tree.events.length}.`;
    const result = failed ? { observation: null, failure: seen } : { observation: seen };
    if (!failed || this.#settings.failed_calls === 'keep') this.#taken.push({ tag: rule.tag, body: '' });
    return this.tree.tool({ tool: rule.tag, input, ...result }, parent);
  }

  #say(given: Material): string {
    return `${given.words} say${this.tree.events.length}.`;
  }
}

function inputOf({ body }: TagRule, words: string, at: number): JsonObject {
  if (body === 'urls') return { urls: [`https://a.example/say${at}.`, 'https://b.example'] };
  if (body === 'code') return { code: words };
  return body === 'json' ? { file_path: 'x.png', question: words } : { query: words };
}

function answerOf(kind: string, words: string, { grade, score }: Material): JsonObject {
  if (kind === 'plan') return { plan: words };
  if (kind === 'verification') return { score };
  if (kind !== 'reflection') return { answer: words };
  return { reflection: words, ...Object.fromEntries(reflectionCriteria.map((name) => [name, grade])) };
}
