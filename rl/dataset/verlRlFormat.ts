import { Bool, type DataType, Field, Float64, Int32, List, Struct, Utf8 } from 'apache-arrow';
import {
  type DatasetFormat,
  type DatasetTask,
  weightedCapabilities,
} from '../../output/dataset/datasetFormat.ts';
import { namesOf, type RowColumns, valueColumn } from '../../output/dataset/files/columns.ts';
import { parquetPart } from '../../output/dataset/formats/formatParts.ts';
import { rlGuide } from './rlFiles.ts';

/** `verl_rl/`: reinforcement learning tasks as parquet for verl's `RLHFDataset` and SkyRL's loader. */
export const verlRlFormat: DatasetFormat<'task'> = {
  name: 'verl_rl',
  records: 'task',
  columns: namesOf(columnsWith([])),
  readers: [],
  card: {
    opened: '`load_dataset("parquet", data_files=FOLDER + "/verl_rl/train.parquet")`',
    trainer: 'RL by verl or SkyRL: tasks, no trajectories',
    mask: "the agent loop: what it samples, and no tool's words",
  },
  capabilities: weightedCapabilities,
  layoutOf(settings) {
    const { toolTags = [] } = settings;
    const stems = { train: 'train', validation: 'val' };
    return {
      parts: [
        parquetPart((task: DatasetTask) => rowOf(task, toolTags), columnsWith(toolTags), 'verl_rl/', stems),
      ],
      guide: (written) => rlGuide(settings, written),
    };
  },
};

type VerlRlRow = ReturnType<typeof rowOf>;

function rowOf({ task, system, user, tools, rate, promptTokens }: DatasetTask, toolTags: readonly string[]) {
  // JSON text, as in AFM's rows.
  const ground_truth = JSON.stringify({ target: task.answers, question: task.question });
  const kwargs = { create_kwargs: { task_id: task.id } };
  return {
    // The same source as in trajectories.
    data_source: task.source.data_source ?? task.source.file,
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
      // All rows have the same keys; tools outside of its profile are null.
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

type Types = Readonly<Record<string, DataType>>;

function struct(types: Types): Struct {
  return new Struct(fieldsOf(types));
}

function listOf(type: DataType): List {
  return new List(Field.new({ name: 'item', type, nullable: true }));
}

/** Nullable columns, as in the output of verl's own scripts. */
function fieldsOf(types: Types): Field[] {
  return Object.entries(types).map(([name, type]) => Field.new({ name, type, nullable: true }));
}

function columnsWith(toolTags: readonly string[]): RowColumns<VerlRlRow> {
  const [text, count, share] = [new Utf8(), new Int32(), new Float64()];
  const toolKwargs = struct({ create_kwargs: struct({ task_id: text }) });
  const types = {
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
      // Arrow does not support structs without fields.
      ...(toolTags.length > 0 && {
        tools_kwargs: struct(Object.fromEntries(toolTags.map((tag) => [tag, toolKwargs]))),
      }),
      prompt_tokens: count,
      passed: count,
      samples: count,
      pass_rate: share,
      mixed: share,
    }),
    agent_name: text,
    env_class: text,
    reward_spec: struct({ method: text, ground_truth: text }),
  } satisfies Record<keyof VerlRlRow, DataType>;
  return {
    columns: fieldsOf(types).map((field) => valueColumn(field, (row) => row[field.name as keyof VerlRlRow])),
    tokensOf: (row) => row.extra_info.prompt_tokens,
  };
}
