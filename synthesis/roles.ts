import type { StageContext } from '../contract/stage.ts';
import type { StageName } from '../contract/stageTable.ts';
import type { Usage } from '../schemas/chat.ts';
import type { Fact, Form, ProposedFact } from '../schemas/taskSynthesis.ts';
import type { SourceDocument } from './records/fact.ts';

/** Answer of a role with its cost. */
export interface Asked<T> {
  readonly value: T;
  readonly request_hash: string;
  readonly model: string;
  /** Calls over all attempts. */
  readonly calls: number;
  readonly usage: Usage;
  readonly cost_usd: number;
}

/** Possible next step of a form, with its resulting wording. */
export interface GrowOption {
  readonly form: Form;
  /** Facts behind its answer. */
  readonly facts: readonly Fact[];
}

export interface ToolTry {
  readonly answer: string;
  readonly tool_calls: number;
  readonly shown: readonly string[];
}

/** Context of a role's call. `ask` distinguishes equal requests of one record, so that each gets its own answer. */
export interface RoleContext extends StageContext {
  readonly taskId: string;
  readonly stage: StageName;
  /** Index among equal requests, from 0. */
  readonly ask: number;
}

/**
 * Roles that make and check tasks. Methods throw `RecordFailure` without a usable answer, which fails the record and is
 * never a verdict.
 */
export interface SynthesisRoles {
  /** propose: facts of a document, at most `most`. */
  propose(
    document: SourceDocument,
    most: number,
    context: RoleContext,
  ): Promise<Asked<readonly ProposedFact[]>>;
  /** link: index of the option that makes the better question; null if none is good. */
  link(form: Form, options: readonly GrowOption[], context: RoleContext): Promise<Asked<number | null>>;
  /** write: words a question that asks exactly what the form asks. */
  write(form: Form, context: RoleContext): Promise<Asked<string>>;
  /** check: reads a question back as a form; `relations` are the allowed words. */
  readBack(question: string, relations: readonly string[], context: RoleContext): Promise<Asked<Form>>;
  /** solve: answers without tools, from `passages` if given; empty if the model gives no answer. */
  solve(question: string, passages: readonly string[], context: RoleContext): Promise<Asked<string>>;
  solveWithTools(question: string, context: RoleContext): Promise<Asked<ToolTry>>;
  /** Result of one search by the question's own words; absent without a search tool. */
  search?(question: string, context: RoleContext): Promise<string>;
  /** check: tests if a wrong answer meets every clue of the question, according to the tool results. */
  meetsClues(
    question: string,
    wrong: Pick<ToolTry, 'answer' | 'shown'>,
    context: RoleContext,
  ): Promise<Asked<boolean>>;
}
