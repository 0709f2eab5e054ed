import type { StageContext } from '../contract/stage.ts';
import type { StageName } from '../contract/stageTable.ts';
import type { Usage } from '../schemas/chat.ts';
import type { Fact, Form, ProposedFact } from '../schemas/taskSynthesis.ts';
import type { SourceDocument } from './records/fact.ts';

/** What a role answered, and what it took. */
export interface Asked<T> {
  readonly value: T;
  /** As the request was sent last. */
  readonly request_hash: string;
  readonly model: string;
  /** Of all attempts at the answer. */
  readonly calls: number;
  readonly usage: Usage;
  readonly cost_usd: number;
}

/** A step that a form may take: what it says then. */
export interface GrowOption {
  readonly form: Form;
  /** The facts that its answer then rests on. */
  readonly facts: readonly Fact[];
}

/** One answer to a question, by a model with tools. */
export interface ToolTry {
  readonly answer: string;
  readonly tool_calls: number;
  /** What each tool call showed, in order. */
  readonly shown: readonly string[];
}

/** Whose call it is, and which of equal ones: equal requests of one record get answers of their own. */
export interface RoleContext extends StageContext {
  readonly taskId: string;
  readonly stage: StageName;
  /** Which of several equal asks, from 0. */
  readonly ask: number;
}

/**
 * The models that make and check tasks. Each method throws `RecordFailure` where no usable answer came: that is a
 * failure of the record, never a verdict.
 */
export interface SynthesisRoles {
  /** propose: facts of a document, at most `most`. */
  propose(
    document: SourceDocument,
    most: number,
    context: RoleContext,
  ): Promise<Asked<readonly ProposedFact[]>>;
  /** link: the option that makes the better question, by its place; null where none is worth asking. */
  link(form: Form, options: readonly GrowOption[], context: RoleContext): Promise<Asked<number | null>>;
  /** write: a question in words that asks what the form asks, and nothing else. */
  write(form: Form, context: RoleContext): Promise<Asked<string>>;
  /** check: the form that a question asks; `relations` are the words that it may use. */
  readBack(question: string, relations: readonly string[], context: RoleContext): Promise<Asked<Form>>;
  /** solve: answer without tools, from `passages` where there are any; empty where the model gives none. */
  solve(question: string, passages: readonly string[], context: RoleContext): Promise<Asked<string>>;
  /** solve: answer with tools. */
  solveWithTools(question: string, context: RoleContext): Promise<Asked<ToolTry>>;
  /** What one search by the question's own words shows; absent where no search is at hand. */
  search?(question: string, context: RoleContext): Promise<string>;
  /** check: whether a wrong answer meets every clue of the question, by what its tools showed. */
  meetsClues(
    question: string,
    wrong: Pick<ToolTry, 'answer' | 'shown'>,
    context: RoleContext,
  ): Promise<Asked<boolean>>;
}
