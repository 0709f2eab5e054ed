import { z } from 'zod';

const mark = z.string().min(1);

/** Marks around a piece of a text. */
const marksSchema = z.strictObject({ start: mark, end: mark });
export type Marks = z.infer<typeof marksSchema>;

const callSchema = z.discriminatedUnion('form', [
  /** Name in one element between the marks, arguments as JSON in another. */
  z.strictObject({ form: z.literal('elements'), name: mark, arguments: mark, ...marksSchema.shape }),
  /** `<function=NAME>` with a `<parameter=KEY>` for each argument; its start may be the start mark. */
  z.strictObject({ form: z.literal('parameters'), ...marksSchema.shape }),
  /** `{"name": ..., "arguments": {...}}`; a program in `<code>` may follow it. */
  z.strictObject({ form: z.literal('json'), ...marksSchema.shape }),
  /** Text input of a single tool. */
  z.strictObject({ form: z.literal('text'), tool: mark, ...marksSchema.shape }),
  /** Input of a single tool in the turn's last fenced block. */
  z.strictObject({ form: z.literal('fence'), tool: mark }),
]);
export type CallForm = z.infer<typeof callSchema>;

/** Rules for turns of an agent that calls tools in its text: the pattern of a call, and the turn of its result. */
export const turnMapSchema = z.strictObject({
  question_after: z
    .array(mark)
    .default([])
    .describe(
      'The question is what stands behind the first of these that the turn holds, or else the whole turn',
    ),
  question: z
    .enum(['only', 'last'])
    .default('only')
    .describe(
      'last: of several user turns before the first of the agent the last asks, such as after a demonstration',
    ),
  think: marksSchema
    .optional()
    .describe('What the model thought; other words beside a call are thoughts too'),
  calls: z.array(callSchema).default([]).describe('Forms of calls; the first that a turn holds is its form'),
  result: z
    .union([z.literal('turn'), marksSchema, z.strictObject({ after: mark })])
    .describe(
      'What a tool gave, in the user turn after the call: the whole turn, what the marks are around, or what stands behind the first words, where the turn begins with them',
    ),
  result_in_agent_turn: z
    .boolean()
    .default(false)
    .describe('True where results stand in the agent’s own text as well'),
  answer: marksSchema.optional().describe('The final answer; where absent, the words of the last turn'),
  finish: z
    .array(mark)
    .default([])
    .describe('First words of calls that end the run: what they say is the answer'),
});
export type TurnMap = z.infer<typeof turnMapSchema>;

const tags = (name: string) => ({ start: `<${name}>`, end: `</${name}>` });

const qwenTags = {
  think: tags('think'),
  calls: [{ form: 'json', ...tags('tool_call') }],
  result: tags('tool_response'),
  answer: tags('answer'),
} satisfies z.input<typeof turnMapSchema>;

/** Turn maps of known agents, each with the source of its format. */
export const turnMapPresets = {
  /** WebDancer, WebSailor and Tongyi DeepResearch (Alibaba-NLP/DeepResearch, inference/react_agent.py). */
  webdancer: turnMapSchema.parse({ ...qwenTags, question_after: ['\nUser: '] }),
  /** Search-R1 (PeterGriffinJin/Search-R1, infer.py). */
  search_r1: turnMapSchema.parse({
    question_after: ['Question:'],
    think: tags('think'),
    calls: [{ form: 'text', tool: 'search', ...tags('search') }],
    result: tags('information'),
    result_in_agent_turn: true,
    answer: tags('answer'),
  }),
  /** MiroVerse (miromind-ai/MiroThinker, src/utils/parsing_utils.py). */
  miroverse: turnMapSchema.parse({
    think: tags('think'),
    calls: [{ form: 'elements', name: 'tool_name', arguments: 'arguments', ...tags('use_mcp_tool') }],
    result: 'turn',
  }),
  /** SWE-smith, SWE-Gym and OpenHands without function calling (SWE-agent/SWE-agent, `XMLFunctionCallingParser`). */
  swe_smith: turnMapSchema.parse({
    question: 'last',
    calls: [{ form: 'parameters', start: '<function=', end: '</function>' }],
    result: { after: 'OBSERVATION:' },
    finish: ['submit'],
  }),
  /** Qwen3-Coder's chat template with its tool calls as text. */
  qwen3_coder: turnMapSchema.parse({
    ...qwenTags,
    calls: [{ form: 'parameters', ...tags('tool_call') }],
  }),
  /** Agent Data Protocol (neulab/agent-data-protocol): message actions; some contain OpenHands calls. */
  adp: turnMapSchema.parse({
    calls: [{ form: 'parameters', start: '<function=', end: '</function>' }],
    result: 'turn',
    answer: tags('finish'),
  }),
  /** ToRA and other programs in the model's own turn (microsoft/ToRA, src/utils/python_executor.py). */
  tora: turnMapSchema.parse({
    calls: [{ form: 'text', tool: 'python', start: '```python', end: '```' }],
    result: { start: '```output', end: '```' },
    result_in_agent_turn: true,
  }),
  /** SWE-agent without function calling (SWE-agent/SWE-agent, sweagent/tools/parsing.py). */
  swe_agent: turnMapSchema.parse({
    question: 'last',
    calls: [
      { form: 'text', tool: 'bash', ...tags('command') },
      { form: 'fence', tool: 'bash' },
    ],
    result: 'turn',
    finish: ['submit'],
  }),
  /** Qwen's chat template with its tool calls as text. */
  qwen_tool_call: turnMapSchema.parse(qwenTags),
} satisfies Record<string, TurnMap>;

/** Tools that end a run when called without text: their result is the answer (SWE-agent). */
export const finishTools: readonly string[] = ['submit'];

/** Names of {@link turnMapPresets} in display order. */
export const turnMapPresetNames = Object.keys(turnMapPresets);
