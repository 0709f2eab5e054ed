import {
  Bool,
  type DataType,
  Field,
  Float64,
  Int32,
  List,
  Struct,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { Task } from '../../../schemas/task.ts';
import { rlCompanions } from '../../rl/rlFiles.ts';
import { type DatasetFormat, type DatasetTask, weightedCapabilities } from '../datasetFormat.ts';
import type { Column, RowColumns } from '../files/columns.ts';
import { parquetPart } from './formatParts.ts';

/** `verl_rl/`: tasks to learn from by reinforcement, a parquet that verl's `RLHFDataset` and SkyRL's loader read. */
export const verlRlFormat: DatasetFormat<'task'> = {
  name: 'verl_rl',
  records: 'task',
  columns: [
    'data_source',
    'prompt',
    'ability',
    'reward_model',
    'extra_info',
    'agent_name',
    'env_class',
    'reward_spec',
  ],
  readers: [],
  card: {
    opened: '`load_dataset("parquet", data_files=FOLDER + "/verl_rl/train.parquet")`',
    trainer: 'RL by verl or SkyRL: tasks, no trajectories',
    mask: "the agent loop: what it samples, and no tool's words",
  },
  capabilities: weightedCapabilities,
  layoutOf(settings) {
    const { toolTags = [], tokenizer, training, dataset } = settings;
    const stems = { train: 'train', validation: 'val' };
    return {
      parts: [
        parquetPart((task: DatasetTask) => rowOf(task, toolTags), columnsWith(toolTags), 'verl_rl/', stems),
      ],
      companions: (written) => rlCompanions({ model: training.model, tokenizer, dataset }, written),
    };
  },
};

/** A row of the parquet. */
type VerlRlRow = ReturnType<typeof rowOf>;

function rowOf({ task, system, user, tools, rate, promptTokens }: DatasetTask, toolTags: readonly string[]) {
  // As AFM's rows have it: the text of a JSON object.
  const ground_truth = JSON.stringify({ target: task.answers, question: task.question });
  const kwargs = { create_kwargs: { task_id: task.id } };
  return {
    data_source: sourceOf(task),
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ability: task.domain,
    reward_model: { style: 'rule', ground_truth },
    extra_info: {
      index: task.id,
      question: task.question,
      answer: [...task.answers],
      profile: task.profile,
      need_tools_kwargs: tools.length > 0,
      // Every row has the same keys: those of tools that its profile does not have are null.
      tools_kwargs: Object.fromEntries(toolTags.map((tag) => [tag, tools.includes(tag) ? kwargs : null])),
      prompt_tokens: promptTokens,
      passed: rate?.passed ?? null,
      samples: rate?.samples ?? null,
      pass_rate: rate ? rate.passed / rate.samples : null,
      mixed: rate?.mixed ?? null,
    },
    agent_name: 'coa_agent',
    env_class: 'coa',
    reward_spec: { method: 'rule', ground_truth },
  };
}

/** The data set's own name, else the file's: as trajectories say where they come from. */
function sourceOf({ source }: Task): string {
  return source.data_source ?? source.file;
}

function struct(fields: Readonly<Record<string, DataType>>): Struct {
  return new Struct(Object.entries(fields).map(([name, type]) => Field.new({ name, type, nullable: true })));
}

function columnsWith(toolTags: readonly string[]): RowColumns<VerlRlRow> {
  const text = new Utf8();
  const toolKwargs = struct({ create_kwargs: struct({ task_id: text }) });
  const types: Readonly<Record<keyof VerlRlRow, DataType>> = {
    data_source: text,
    prompt: listOf(struct({ role: text, content: text })),
    ability: text,
    reward_model: struct({ style: text, ground_truth: text }),
    extra_info: struct({
      index: text,
      question: text,
      answer: listOf(text),
      profile: text,
      need_tools_kwargs: new Bool(),
      ...(toolTags.length > 0 && {
        tools_kwargs: struct(Object.fromEntries(toolTags.map((tag) => [tag, toolKwargs]))),
      }),
      prompt_tokens: new Int32(),
      passed: new Int32(),
      samples: new Int32(),
      pass_rate: new Float64(),
      mixed: new Float64(),
    }),
    agent_name: text,
    env_class: text,
    reward_spec: struct({ method: text, ground_truth: text }),
  };
  const column = ([name, type]: [keyof VerlRlRow, DataType]): Column<VerlRlRow> => ({
    field: Field.new({ name, type, nullable: true }),
    dataOf: (rows) =>
      vectorFromArray(
        rows.map((row) => row[name]),
        type,
      ).data[0]!,
    bytesOf: (row) => Buffer.byteLength(JSON.stringify(row[name])),
  });
  return {
    columns: (Object.entries(types) as [keyof VerlRlRow, DataType][]).map(column),
    tokensOf: (row) => row.extra_info.prompt_tokens,
    bytesOf: (row) => Buffer.byteLength(JSON.stringify(row)),
  };
}

function listOf(type: DataType): List {
  return new List(Field.new({ name: 'item', type, nullable: true }));
}
