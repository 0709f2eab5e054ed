import { z } from 'zod';

/** Description of a drop reason. */
interface DropReasonRow {
  readonly meaning: string;
  /** Action to take if this reason drops most records of a run. */
  readonly advice: string;
}

const rowAdvice = 'look at the rows that the ledger names, and at coa-distill import --help';

/**
 * Reasons for dropping a record: verdicts on its content, kept permanently in the ledger. Single source for each fact
 * about a reason.
 */
export const dropReasons = {
  bad_task: {
    meaning: "the task file's row was unusable and the configuration says to skip it",
    advice: 'correct the rows of the task files that the ledger names',
  },
  too_few_tests: {
    meaning:
      'the task has fewer tests than `filters.min_tests`: a program that only knows the samples would pass',
    advice: 'use tasks with more tests, or lower filters.min_tests',
  },
  duplicate_question: {
    meaning: 'another task of the profile, which stays, asks the same',
    advice: 'the task file repeats its questions',
  },
  contaminated: {
    meaning: 'the question is one of a benchmark, or holds one',
    advice: 'the tasks stand in a benchmark of decontaminate: use other tasks',
  },
  too_easy: {
    meaning:
      "the student or a base model, the model of `probe`, or the run's own rollouts, solve the task too often",
    advice: 'use harder tasks, or raise the pass rate that probe, filters or select allows',
  },
  too_hard: {
    meaning: 'the same models, or rollouts, solve the task too seldom',
    advice: 'use easier tasks, or lower the pass rate that probe, filters or select asks for',
  },
  invalid_grammar: {
    meaning:
      "the text does not parse into its segments, or they break the profile's grammar; model text that holds tags, for instance",
    advice: 'use a model that follows the roles; the report has examples',
  },
  wrong_answer: {
    meaning: 'a judge found the answer wrong (paper, stage 2)',
    advice:
      'look at answers and verdicts in the report; answers in words are compared by rule alone unless judge.text is rule_then_model, which asks judge.model where the rule finds no match',
  },
  too_few_interactions: {
    meaning: 'fewer interactions than asked for (paper, stage 1)',
    advice: 'use harder tasks, or lower filters.min_interactions',
  },
  redundant_tool_input: {
    meaning: 'a tool was asked the same again, to the letter or nearly (paper, stage 2)',
    advice: 'raise filters.max_redundant_tool_inputs, or use a model that repeats itself less',
  },
  ungrounded: {
    meaning: 'no observation holds the answer: the model answered from memory',
    advice:
      'give the tools a corpus or service that knows the tasks (tools.wiki_search, tools.web_search), or set filters.grounding.drop to false',
  },
  unsupported_thought: {
    meaning: 'a thought holds a number or a name that neither the prompt nor an earlier observation holds',
    advice: 'use a model that looks before it states facts, or set filters.unsupported_thought.drop to false',
  },
  instruction_failure: {
    meaning:
      'a judge found that instructions were not followed, also where the answer is right (paper, stage 2)',
    advice: 'look at the verdicts in the report',
  },
  form_text: {
    meaning: "words of an answer's form stand where the model should have written its own",
    advice: 'use a model that follows the roles, or set filters.form_text to keep',
  },
  no_reflection: {
    meaning: 'a trajectory without reflection that the rate leaves out (paper, stage 3)',
    advice: 'raise filters.reflection.rate',
  },
  check_finding: {
    meaning: 'a rule of `coa-distill check` that the filter asks for was broken',
    advice: 'look at the examples in the report, or take the rule out of filters.check',
  },
  length_out_of_range: {
    meaning:
      'too few or too many actions, or tokens by `dataset.tokenizer` (of the segments, without the prompt)',
    advice: 'change filters.length',
  },
  unwanted_language: {
    meaning:
      "the model's words are in a language that was not asked for; where it can't be detected, the trajectory stays",
    advice: 'change filters.languages, or use a model that answers in them',
  },
  secret_in_text: {
    meaning: 'an observation holds a secret or personal data',
    advice: 'set filters.secrets.action to mask',
  },
  own_rule: {
    meaning: 'a rule of `filters.rules` dropped it; the evidence says which and why',
    advice: 'look at what the rules say in the report',
  },
  duplicate_trajectory: {
    meaning: 'nearly the same trajectory is kept already',
    advice: 'raise dedup.trajectories.min_jaccard, or lower the rollouts of a task',
  },
  not_best_of_task: {
    meaning: 'other trajectories of the same task were chosen',
    advice: 'nothing, if only the best of each task is wanted; else change select',
  },
  over_quota: {
    meaning: 'the quota of its group is full',
    advice: 'nothing, if such quotas are meant; else change balance, or synthesize.choose',
  },
  rejected_by_reviewer: {
    meaning: 'people who looked at it rejected it, see `review.rule`',
    advice: 'look at their reasons in review/ledger.jsonl',
  },
  over_target: {
    meaning: 'the dataset holds what `target` asks for, or `target` asks for no rows of its profile',
    advice: 'nothing: the dataset holds what target asks for',
  },
  too_long: {
    meaning:
      'the rendered row is longer than `dataset.cutoff_len` tokens; where rows are cut, its prompt and first trained segment alone are',
    advice: 'raise dataset.cutoff_len, or let rows be cut',
  },
  nothing_trained: {
    meaning: 'the settings in `dataset.mask` leave no segment of the row in the loss',
    advice: 'change dataset.mask',
  },
  unread_document: {
    meaning: 'synthesize: the document could not be read, holds no text, or repeats one that was read',
    advice: 'look at the addresses in the ledger of documents',
  },
  no_facts: {
    meaning: 'synthesize: the model named no fact of the document',
    advice: 'use documents that state facts, or a stronger model for synthesize.roles.propose',
  },
  not_asked: {
    meaning: 'synthesize: no seed task that rests on the document has this answer',
    advice: 'give the tasks of synthesize.corpus.tasks the evidence that states their answers',
  },
  unsupported: {
    meaning: 'synthesize: no stored document states what the answer rests on',
    advice: 'use a stronger model for synthesize.roles.propose',
  },
  answer_shape: {
    meaning: 'synthesize: the answer is not one short value of its type',
    advice: 'use a stronger model for synthesize.roles.propose',
  },
  not_standalone: {
    meaning: 'synthesize: the question speaks of a page or text that a solver does not have',
    advice: 'use a stronger model for synthesize.roles.write',
  },
  answer_in_question: {
    meaning: 'synthesize: the question holds the answer, or another spelling of it',
    advice: 'use a stronger model for synthesize.roles.write',
  },
  link_in_question: {
    meaning: 'synthesize: the question names a thing that the solver is to find on the way',
    advice: 'use a stronger model for synthesize.roles.write',
  },
  cycle: {
    meaning: 'synthesize: the chain comes back to a thing that it has left',
    advice: 'nothing, if few are; else use documents with more links',
  },
  pseudo_step: {
    meaning: 'synthesize: a step leads from a thing to itself under another name, or stays on its page',
    advice: 'use a stronger model for synthesize.roles.propose',
  },
  contradicted: {
    meaning: 'synthesize: documents state different values of what has one value',
    advice: 'correct the documents that the ledger names, or mark the relation as many-valued',
  },
  not_unique: {
    meaning: 'synthesize: another answer fits the question too',
    advice: 'raise the weight of synthesize.grow.operations.intersect',
  },
  ambiguous_link: {
    meaning: 'synthesize: the description of a thing on the way fits several',
    advice: 'raise the weight of synthesize.grow.operations.intersect',
  },
  shortcut: {
    meaning: 'synthesize: fewer documents than its hops give the answer',
    advice: 'lower synthesize.grow.hops, or use documents that repeat each other less',
  },
  over_determined: {
    meaning: 'synthesize: the answer follows without one of the clues',
    advice: 'lower the weight of synthesize.grow.operations.intersect',
  },
  too_few_hops: {
    meaning: 'synthesize: no further step was found that keeps the question good',
    advice: 'lower synthesize.grow.hops.min, or use documents with more links',
  },
  closed_book: {
    meaning: 'synthesize: a model without tools knows the answer',
    advice: 'use documents that models have not read',
  },
  unanswerable: {
    meaning: 'synthesize: the documents do not give the answer',
    advice: 'look at the chains in the report',
  },
  answer_drift: {
    meaning: 'synthesize: the words ask something else than the form',
    advice: 'use a stronger model for synthesize.roles.write',
  },
  malformed_row: {
    meaning: 'import: the row is not what its format says; the evidence names the path of the field',
    advice: rowAdvice,
  },
  ambiguous_row: {
    meaning: "import: the row's own record does not tell what happened in which order",
    advice: rowAdvice,
  },
  unsupported_row: {
    meaning: 'import: the row is right, but holds what a trace or the profile has no place for',
    advice: rowAdvice,
  },
} as const satisfies Readonly<Record<string, DropReasonRow>>;

export type DropReason = keyof typeof dropReasons;
export const dropReasonSchema = z.enum(Object.keys(dropReasons) as [DropReason, ...DropReason[]]);
