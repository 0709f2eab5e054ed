import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../contract/tool.ts';
import { proposedFactSchema, type SynthesisRole } from '../../schemas/taskSynthesis.ts';
import { closedObject } from '../../teachers/multiAgent/roleAsks.ts';
import type { SynthesisRoles } from '../roles.ts';
import { answeredBy, askModel, type RoleModel } from './askModel.ts';
import { literalQuestion, writtenFormSchema } from './literalQuestion.ts';
import { solveWithTools } from './solveWithTools.ts';

/** Matches a possibly abbreviated title or name (`St.`, `J.`) at the end, after which the sentence may continue. */
const abbreviated = /(?:^|[\s(])\p{Lu}\p{L}{0,3}\.\s*$/u;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Length above which a paragraph is split after sentences. */
const LONG_LINE = 400;

/**
 * Splits a text into unchanged rows and paragraphs, long paragraphs after sentences. Models cite lines by number, since
 * they copy badly and slowly, and miscount sentences.
 *
 * @param maxChars - Characters after which no line begins
 */
export function documentLines(text: string, maxChars: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.slice(0, maxChars).split('\n')) {
    let line = '';
    for (const { segment } of sentences.segment(paragraph)) {
      const isFull = line.length + segment.length > LONG_LINE && !abbreviated.test(line);
      if (isFull) lines.push(line.trim());
      line = isFull ? segment : line + segment;
    }
    lines.push(line.trim());
  }
  return lines.filter((line) => line !== '');
}

export interface SynthesisRoleOptions {
  readonly models: (role: SynthesisRole) => RoleModel;
  /** Tools of `solveWithTools`. */
  readonly tools: readonly Tool[];
  /** Maximum tool calls of one try with tools. Default: 20. */
  readonly maxToolCalls?: number;
}

const rules = {
  propose: `You list facts that a document states, at most "most". A fact says: the RELATION of SUBJECT is VALUE.
- subject: the name of the thing that the fact is about, most often "title".
- relation: a noun in lower-case words; the same words for the same kind of fact.
- value: one name, number or date, copied. Leave out lists, sentences, and what the document is called.
- type: "entity" for the name of a person, place or thing, "number", "date" or "text".
- many_valued: true where the subject may have several such values: authors, stars, awards.
- line: the number of the line that says so. VALUE stands in it.

Example: {"title": "Amber House", "lines": {"1": "Built | 1702", "2": "It stands in Velby. It was drawn by Ida Moor."}, "most": 3} gives
{"facts": {"1": {"subject": "Amber House", "relation": "year of construction", "value": "1702", "type": "date", "many_valued": false, "line": 1}, "2": {"subject": "Amber House", "relation": "location", "value": "Velby", "type": "entity", "many_valued": false, "line": 2}, "3": {"subject": "Amber House", "relation": "architect", "value": "Ida Moor", "type": "entity", "many_valued": true, "line": 2}}}`,

  seedTasks:
    '"tasks" are questions with the answers that the document gives. The facts that answer them come first.',

  link: `A question is made harder by one step. "now" is the question as it is, word for word, "steps" what it may become.
Pick the step whose question is the most natural one to ask, and in which nothing is said twice.

Answer with one JSON object and nothing else: {"pick": number of the step, or null where none makes a question that anybody would ask}`,

  write: `You reword a question in good plain English. "literal" is the question word for word.
Ask for the same thing by the same conditions, all of them. Add none, turn none around, and do not answer. Copy names whole, with what stands in brackets. Do not say what a thing is ("the book") where "literal" does not.

Examples: {"literal": "What is the birthplace of the architect of the thing whose owner is Ben Voss?"} gives
{"question": "Where was the architect of what Ben Voss owns born?"}
{"literal": "What is the owner of either Amber House or Reed Hall (Velby), whichever has the earlier year of construction?"} gives
{"question": "Who owns Amber House or Reed Hall (Velby), whichever was built earlier?"}`,

  readBack: `You write down what a question asks as triples, without answering it. ["SUBJECT", "relation", "VALUE"] says: the relation of SUBJECT is VALUE.
- Relations are some of "relations", names are copied from the question, with what stands in brackets. All that the question does not name is "?x", "?y" and so on.
- "asked" is the variable that is asked for; "ask" is "count" where the question asks how many there are, otherwise "value".
- "ranges": the lowest and highest number or year of a variable, where the question says a range.
- "compare": null, unless the question picks one of two named things: "variable" is the one that is picked, "of" the two names, "by" the value that decides, "picks" "largest" (or latest) or "smallest" (or earliest).

Examples, with the relations "architect", "birthplace", "owner" and "price":
"Where was the architect of Amber House (1702) born?" gives {"compare": null, "triples": [["Amber House (1702)", "architect", "?x"], ["?x", "birthplace", "?y"]], "asked": "?y", "ask": "value", "ranges": []}
"How much was what Ida Moor drew?" gives {"compare": null, "triples": [["?x", "architect", "Ida Moor"], ["?x", "price", "?y"]], "asked": "?y", "ask": "value", "ranges": []}
"Who owns either Amber House (1702) or Reed Hall, whichever was cheaper?" gives {"compare": {"variable": "?x", "of": ["Amber House (1702)", "Reed Hall"], "by": "?z", "picks": "smallest"}, "triples": [["?x", "owner", "?y"], ["?x", "price", "?z"]], "asked": "?y", "ask": "value", "ranges": []}`,

  closedBook: `You answer a question from what you know.

Answer with one JSON object and nothing else: {"answer": the name, number or full date that answers it, or null where you do not know}`,

  withEvidence: `You answer a question from "passages" alone. Some of them have nothing to do with it. Do not use what you know from elsewhere, and do not guess: where the passages do not state all that is needed, the answer is null.

"found" says each thing that the question needs, in order, as the passages state it. "answer" is the name, number or full date that answers the question, as the passages write it, or null.

Examples, with the question "How much was the house that Ida Moor drew?":
["# Mills\n\nThe mill cost 80 pounds.", "# Amber House\n\nIts architect was Ida Moor.", "# Amber House\n\nBuilt in 1702 for 900 pounds"] gives
{"found": ["house that Ida Moor drew: Amber House", "price of Amber House: 900 pounds"], "answer": "900 pounds"}
["# Mills\n\nThe mill cost 80 pounds.", "# Amber House\n\nBuilt in 1702 for 900 pounds"] gives
{"found": ["house that Ida Moor drew: not stated"], "answer": null}`,

  meetsClues: `Somebody answered a question by "answer", after tools showed "shown". Decide whether that answer is right, too: whether it meets every condition of the question, by what was shown alone. It does not where one condition is not shown, or another one is shown.

Answer with one JSON object and nothing else: {"rationale": "each condition, and what was shown of it", "meets_all": true or false}`,
} as const;

/** Prompts that are part of a configuration's fingerprint. */
export const synthesisPrompts: JsonObject = rules;

/**
 * Fact as a model writes it. The line number comes last: a small model that writes it first just continues counting.
 */
const writtenFact = proposedFactSchema
  .omit({ quote: true })
  .extend({ many_valued: z.boolean(), line: z.int() });
const factsSchema = z.strictObject({ facts: z.record(z.string(), writtenFact.nullable()) });
/** Fixed slots for facts, null if unused, since small models do not end a list of facts. */
function factPlaces(most: number): JsonObject {
  const fact = z.toJSONSchema(writtenFact.nullable()) as JsonObject;
  const places = Array.from({ length: most }, (_, at) => [`${at + 1}`, fact] as const);
  return closedObject({ facts: closedObject(Object.fromEntries(places)) });
}
const pickSchema = z.strictObject({ pick: z.int().nonnegative().nullable() });
const questionSchema = z.strictObject({ question: z.string().trim().min(1) });
const answerSchema = z.strictObject({ answer: z.string().trim().nullable() });
/** Findings come before the answer, since a small model that answers at once gives a link. */
const foundSchema = z.strictObject({ found: z.array(z.string()), ...answerSchema.shape });
const verdictSchema = z.strictObject({ rationale: z.string(), meets_all: z.boolean() });

/** Maximum characters shown to a model of a document, of passages and of tool results. */
const MAX_CHARS = 24_000;

/** Tools with a text query. */
const searchTools: readonly string[] = ['web_search', 'wiki_search'];

/** Creates the five roles on top of models with structured answers. */
export function createSynthesisRoles({
  models,
  tools,
  maxToolCalls = 20,
}: SynthesisRoleOptions): SynthesisRoles {
  const searching = tools.find(({ name }) => searchTools.includes(name));
  return {
    ...(searching && {
      async search(query, { taskId, signal }) {
        const { observation } = await searching.call({ query }, signal, { task_id: taskId });
        return observation;
      },
    }),

    async propose({ title, text, asked: tasks }, most, context) {
      // The title is no fact, but a small model that saw it twice gave it as the first one.
      const lines = documentLines(text, MAX_CHARS).filter((line) => !line.startsWith('# '));
      const numbered = Object.fromEntries(lines.map((line, at) => [`${at + 1}`, line]));
      const asked = await askModel(
        {
          ...{ role: 'propose', name: 'proposed_facts' },
          rules: tasks ? `${rules.propose}\n\n${rules.seedTasks}` : rules.propose,
          data: { title, lines: numbered, most, ...(tasks && { tasks }) },
          ...answeredBy(factsSchema),
          schema: factPlaces(most),
        },
        models('propose'),
        context,
      );
      const facts = Object.values(asked.value.facts)
        .filter((fact) => fact !== null)
        .slice(0, most);
      // Small models count facts in place of lines, so a number beyond the last line means the last.
      const quoteOf = (line: number) => lines[Math.min(line, lines.length) - 1] ?? `line ${line}`;
      const value = facts.map(({ line, ...fact }) => ({ ...fact, quote: quoteOf(line) }));
      return { ...asked, value };
    },

    async link(form, options, context) {
      const steps = Object.fromEntries(options.map(({ form }, at) => [`${at + 1}`, literalQuestion(form)]));
      const asked = await askModel(
        {
          ...{ role: 'link', name: 'picked_step', rules: rules.link },
          data: { now: literalQuestion(form), steps },
          ...answeredBy(pickSchema),
        },
        models('link'),
        context,
      );
      const { pick } = asked.value;
      return { ...asked, value: pick !== null && pick in steps ? pick - 1 : null };
    },

    async write(form, context) {
      const asked = await askModel(
        {
          ...{ role: 'write', name: 'written_question', rules: rules.write },
          data: { literal: literalQuestion(form) },
          ...answeredBy(questionSchema),
        },
        models('write'),
        context,
      );
      return { ...asked, value: asked.value.question };
    },

    readBack: (question, relations, context) =>
      askModel(
        {
          ...{ role: 'check', name: 'read_form', rules: rules.readBack },
          data: { question, relations: [...relations] },
          ...answeredBy(writtenFormSchema),
        },
        models('check'),
        context,
      ),

    async solve(question, passages, context) {
      const isClosed = passages.length === 0;
      const asked = await askModel(
        {
          ...{ role: 'solve', name: 'solved', rules: isClosed ? rules.closedBook : rules.withEvidence },
          data: { question, ...(!isClosed && { passages: [...passages] }) },
          ...answeredBy<z.infer<typeof answerSchema>>(isClosed ? answerSchema : foundSchema),
        },
        models('solve'),
        context,
      );
      return { ...asked, value: asked.value.answer ?? '' };
    },

    solveWithTools: (question, context) =>
      solveWithTools(question, { model: models('solve'), tools, maxToolCalls }, context),

    async meetsClues(question, { answer, shown }, context) {
      const asked = await askModel(
        {
          ...{ role: 'check', name: 'other_answer', rules: rules.meetsClues },
          data: { question, answer, shown: shown.join('\n\n').slice(-MAX_CHARS) },
          ...answeredBy(verdictSchema),
        },
        models('check'),
        context,
      );
      return { ...asked, value: asked.value.meets_all };
    },
  };
}
