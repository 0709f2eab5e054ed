import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { SynthesisRoles } from '../../contract/synthesis.ts';
import type { Tool } from '../../contract/tool.ts';
import type { SynthesisRole } from '../../schemas/config/synthesize.ts';
import { type Fact, proposedFactSchema } from '../../schemas/synthesis/fact.ts';
import { type Form, formSchema, isVariable } from '../../schemas/synthesis/form.ts';
import { answeredBy, askModel, type RoleModel } from './askModel.ts';
import { solveWithTools } from './solveWithTools.ts';

export interface SynthesisRoleOptions {
  readonly models: (role: SynthesisRole) => RoleModel;
  /** What `solveWithTools` may call. */
  readonly tools: readonly Tool[];
  /** Most tool calls of one try with tools. Default: 20. */
  readonly maxToolCalls?: number;
}

const triples =
  'Triples are ["subject", "relation", "value"]; a name that begins with "?" is a variable: something that is not named.';

const rules = {
  propose: `You read one document and list facts that it states, at most "most" of them, those that a careful reader could be asked about.

Each fact:
- subject: the name of the thing that it is about, as the document writes it.
- relation: lower-case words for what the value is to the subject, such as "founder" or "year of publication": "value is the RELATION of subject" must be a true sentence. Use the same words for the same relation.
- value: the shortest words that say it, copied from the document. One person, place, thing, number or date; no lists, no sentences.
- type: "entity" for the name of a thing, "number", "date", or "text".
- many_valued: true where the subject may have several such values.
- quote: the words of the document that state it, copied to the letter, one sentence or table row. The value must stand in them.

Take only what the document states itself, nothing that you know from elsewhere.

Answer with one JSON object and nothing else:
{"facts": [{"subject": ..., "relation": ..., "value": ..., "type": ..., "many_valued": ..., "quote": ...}, ...]}`,

  link: `A question is made harder by one step. "now" is the question as it is, "steps" what it may become. ${triples}
Pick the step whose question is the most natural one to ask, and in which nothing is said twice.

Answer with one JSON object and nothing else: {"pick": number of the step, or null where none makes a question that anybody would ask}`,

  write: `You write a question in plain English from its formal meaning. ${triples}
- "asked" is the variable that is asked for. "ask": "count" asks how many values it has.
- Each other variable is described by its triples, never named. "ranges" gives the lowest and highest value of a variable.
- "compare": "variable" stands for that one of the two things "of" whose value "by" is the largest or smallest.
- "kinds" says what kind of thing a variable stands for.
Say all that the triples say and nothing else. Do not guess names or values. The question must stand alone: no "this article", no "the page".

Answer with one JSON object and nothing else: {"question": "..."}`,

  readBack: `You write down what a question asks, formally, without answering it. ${triples}
- Use only relations of "relations". The triple says "value is the RELATION of subject".
- Constants are copied from the question. What the question does not name is a variable, such as "?x".
- "asked" is the variable that is asked for; "ask" is "count" where the question asks how many there are, otherwise "value".
- "ranges" gives the lowest and highest number, or year, of a variable, where the question says a range.
- "compare", where the question picks the larger, smaller, earlier or later of two named things: {"variable": the one that is picked, "of": [the two names], "by": the variable of the value that decides, which a triple ties to "variable", "picks": "largest" or "smallest"}.

Answer with one JSON object and nothing else:
{"triples": [["...", "...", "..."], ...], "asked": "?...", "ask": "value" or "count", "ranges": {"?...": [1, 2]} or left out, "compare": {...} or left out}`,

  closedBook: `You answer a question from what you know.

Answer with one JSON object and nothing else: {"answer": the shortest words that answer it, or null where you do not know}`,

  withEvidence: `You answer a question from "passages" alone. Some of them have nothing to do with it. Do not use what you know from elsewhere, and do not guess: where the passages do not state all that is needed, the answer is null.

Answer with one JSON object and nothing else: {"answer": the shortest words that answer it, or null}`,

  meetsClues: `Somebody answered a question by "answer", after tools showed "shown". Decide whether that answer is right, too: whether it meets every condition of the question, by what was shown alone. It does not where one condition is not shown, or another one is shown.

Answer with one JSON object and nothing else: {"rationale": "each condition, and what was shown of it", "meets_all": true or false}`,
} as const;

/** The prompts that a configuration's answers depend on. */
export const synthesisPrompts: JsonObject = rules;

const pickSchema = z.strictObject({ pick: z.int().nonnegative().nullable() });
const questionSchema = z.strictObject({ question: z.string().trim().min(1) });
const answerSchema = z.strictObject({ answer: z.string().trim().nullable() });
const verdictSchema = z.strictObject({ rationale: z.string(), meets_all: z.boolean() });

/** Characters of a document, of passages and of what tools showed that a model is shown. */
const MAX_CHARS = 24_000;

/** Tools that search by words. */
const searchTools: readonly string[] = ['web_search', 'wiki_search'];

/** The five roles, each played by its model over structured answers. */
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

    async propose({ title, text }, most, context) {
      const asked = await askModel(
        {
          ...{ role: 'propose', name: 'proposed_facts', rules: rules.propose },
          data: { title, text: text.slice(0, MAX_CHARS), most },
          ...answeredBy(z.strictObject({ facts: z.array(proposedFactSchema) })),
        },
        models('propose'),
        context,
      );
      return { ...asked, value: asked.value.facts.slice(0, most) };
    },

    async link(form, options, context) {
      const steps = options.map((option, at) => ({ number: at, ...formData(option.form) }));
      const asked = await askModel(
        {
          ...{ role: 'link', name: 'picked_step', rules: rules.link },
          data: { now: formData(form), steps },
          ...answeredBy(pickSchema),
        },
        models('link'),
        context,
      );
      const { pick } = asked.value;
      return { ...asked, value: pick !== null && pick < options.length ? pick : null };
    },

    async write(form, facts, context) {
      const asked = await askModel(
        {
          ...{ role: 'write', name: 'written_question', rules: rules.write },
          data: { ...formData(form), kinds: kindsOf(form, facts) },
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
          ...answeredBy(formSchema),
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
          ...answeredBy(answerSchema),
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

/** A form as models are shown it. The answer and the names of links are no part of it. */
function formData({ triples, asked, ask, ranges, compare }: Form): JsonObject {
  return {
    ...{ triples: triples.map((triple) => [...triple]), asked, ask },
    ...(ranges && { ranges: { ...ranges } }),
    ...(compare && { compare: { ...compare, of: [...compare.of] } }),
  };
}

/** What kind of value each variable stands for, by the facts with its relation. */
function kindsOf({ triples }: Form, facts: readonly Fact[]): JsonObject {
  const kinds = triples.flatMap(([, relation, value]) => {
    const type = isVariable(value) && facts.find((fact) => fact.relation === relation)?.type;
    return type ? [[value, type]] : [];
  });
  return Object.fromEntries(kinds);
}
