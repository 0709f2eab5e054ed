import { oncePer } from '../../base/once.ts';
import { bodyProblem } from './bodies.ts';
import type { Block } from './layout.ts';
import { actionOutcome, allowedAfter, isFinal } from './machine.ts';
import { type Profile, type TagKind, tagRule } from './profile.ts';
import { structuralTagsOf } from './profileRegistry.ts';

/** One breach of a profile's grammar. */
export interface GrammarFinding {
  readonly code:
    | 'unknown_tag'
    | 'wrong_writer'
    | 'bad_body'
    | 'tag_in_text'
    | 'missing_think'
    | 'misplaced_think'
    | 'missing_observation'
    | 'misplaced_observation'
    | 'not_allowed_here'
    | 'not_once'
    | 'not_finished';
  /** Index of the block, from 0; the number of blocks for findings about the end. */
  readonly block: number;
  readonly message: string;
}

/**
 * Tags, control tokens that a tokenizer would read instead, and the start of an observation: AFM's fork starts a mask
 * on the tokens of `<observation`, closed or not.
 */
const tagInText = oncePer(
  (tags: readonly string[]) =>
    new RegExp(`</?(?:${tags.join('|')}|tool_call|tool_response)>|</?observation|<\\|[^|<>\\s]{1,64}\\|>`),
);

/** All breaches of the profile's grammar in a sequence of blocks; empty if valid. */
export function checkGrammar(profile: Profile, blocks: readonly Block[]): GrammarFinding[] {
  const content = blocks.flatMap((block, index) => contentFindings(profile, block, index));
  return [...content, ...orderFindings(profile, blocks)].sort((a, b) => a.block - b.block);
}

function contentFindings(profile: Profile, block: Block, index: number): GrammarFinding[] {
  const rule = tagRule(profile, block.tag);
  if (!rule)
    return [{ code: 'unknown_tag', block: index, message: `<${block.tag}> is not a tag of ${profile.name}` }];
  const findings: GrammarFinding[] = [];
  const writer = rule.kind === 'observation' ? 'environment' : 'model';
  if (block.origin !== writer) {
    findings.push({
      code: 'wrong_writer',
      block: index,
      message: `<${block.tag}> is written by the ${writer}`,
    });
  }
  const problem = bodyProblem(rule.body, block.body);
  if (problem) findings.push({ code: 'bad_body', block: index, message: `<${block.tag}>: ${problem}` });
  const nested = tagInText(structuralTagsOf(profile)).exec(block.body);
  if (nested)
    findings.push({ code: 'tag_in_text', block: index, message: `<${block.tag}> holds ${nested[0]}` });
  return findings;
}

function orderFindings(profile: Profile, blocks: readonly Block[]): GrammarFinding[] {
  const walk = new OrderWalk(profile);
  blocks.forEach((block, index) => {
    walk.step(block, index);
  });
  return walk.finish(blocks.length);
}

/** Walks blocks in order, tracking the allowed next ones. */
class OrderWalk {
  readonly #profile: Profile;
  readonly #findings: GrammarFinding[] = [];
  readonly #used = new Set<string>();
  #last: Block | undefined;
  #thought = false;
  #owesObservation = false;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  step(block: Block, index: number): void {
    const kind = tagRule(this.#profile, block.tag)?.kind;
    if (kind === undefined) return;
    if (kind === 'observation') this.#observation(index);
    else this.#written(block, index, kind);
  }

  finish(length: number): GrammarFinding[] {
    if (this.#owesObservation)
      this.#add('missing_observation', length, 'the last tool call has no <observation>');
    const last = this.#last;
    if (!last || !isFinal(this.#profile, last.tag) || this.#thought) {
      this.#add('not_finished', length, 'the trajectory does not end with its final action');
    }
    return this.#findings;
  }

  #written(block: Block, index: number, kind: TagKind): void {
    if (this.#owesObservation) {
      this.#add('missing_observation', index, `a tool call without <observation> before <${block.tag}>`);
    }
    this.#owesObservation = false;
    if (kind === 'thinking') this.#thinking(index);
    else this.#action(block, index, kind === 'tool');
  }

  #observation(index: number): void {
    if (!this.#owesObservation)
      this.#add('misplaced_observation', index, '<observation> without a tool call before it');
    this.#owesObservation = false;
  }

  #thinking(index: number): void {
    if (this.#thought) this.#add('misplaced_think', index, 'two thinking blocks in a row');
    this.#thought = true;
  }

  #action(block: Block, index: number, isTool: boolean): void {
    const { think_before, think_optional_before, once } = this.#profile;
    if (!this.#thought && think_before.includes(block.tag)) {
      this.#add('missing_think', index, `<${block.tag}> needs a thinking block before it`);
    }
    if (this.#thought && !think_before.includes(block.tag) && !think_optional_before.includes(block.tag)) {
      this.#add('misplaced_think', index, `no thinking block may come before <${block.tag}>`);
    }
    const again = once.includes(block.tag) && this.#used.has(block.tag);
    if (again) this.#add('not_once', index, `<${block.tag}> may occur only once`);
    else this.#checkAllowed(block, index);
    this.#last = block;
    this.#used.add(block.tag);
    this.#thought = false;
    this.#owesObservation = isTool;
  }

  #checkAllowed(block: Block, index: number): void {
    const allowed = this.#allowed();
    if (allowed.includes(block.tag)) return;
    const expected = allowed.length > 0 ? allowed.map((tag) => `<${tag}>`).join(' or ') : 'the end';
    this.#add('not_allowed_here', index, `expected ${expected}, found <${block.tag}>`);
  }

  #allowed(): readonly string[] {
    const last = this.#last;
    if (!last) return this.#profile.first;
    return allowedAfter(this.#profile, last.tag, actionOutcome(this.#profile, last), this.#used);
  }

  #add(code: GrammarFinding['code'], block: number, message: string): void {
    this.#findings.push({ code, block, message });
  }
}
