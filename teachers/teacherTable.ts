import type { JsonObject } from '../base/json.ts';
import type { Teacher } from '../contract/teacher.ts';
import type { TeacherConfig } from '../schemas/config/teacher.ts';
import type { TeacherBackendName } from '../schemas/config/teacherBackends.ts';
import type { Task } from '../schemas/task.ts';
import type { StudentParts } from './coaModel/coaModelOptions.ts';
import { openCoaModelTeacher } from './coaModel/createCoaModelTeacher.ts';
import {
  createMultiAgentTeacher,
  type MultiAgentTeacherOptions,
} from './multiAgent/createMultiAgentTeacher.ts';
import type { PlantedScript } from './scripted/loadScript.ts';

/** What a script is made of. */
export interface ScriptParts {
  readonly teacher: TeacherConfig;
  /** Every task of the run, duplicates included. */
  readonly tasks: readonly Task[];
  readonly seed: number;
}

/** What teachers are made of. */
export interface TeacherParts extends MultiAgentTeacherOptions {
  /** Opens what one model plays with. Throws `UserError` where that can't be used. */
  openStudent(): Promise<StudentParts>;
}

/** A teacher backend: how it solves tasks, and what its own server plays. */
export interface TeacherRow {
  create(parts: TeacherParts): Teacher | Promise<Teacher>;
  /** What the server that it starts plays; absent where it asks the configured endpoint. */
  readonly script?: {
    open(parts: ScriptParts): Promise<PlantedScript>;
    /** The keys of `teacher` that the answers depend on. */
    readonly keys: readonly (keyof TeacherConfig)[];
    /** What they depend on besides: the tasks and the seed of the run. */
    dependsOn?(run: { readonly tasks: JsonObject; readonly seed: number }): JsonObject;
  };
}

/** The teacher backends by their name in the configuration. */
export const teacherTable: Readonly<Record<TeacherBackendName, TeacherRow>> = {
  openai: { create: createMultiAgentTeacher },
  scripted: {
    create: createMultiAgentTeacher,
    script: {
      open: async ({ teacher }) => {
        const { loadScript } = await import('./scripted/loadScript.ts');
        return loadScript(teacher.script!);
      },
      keys: ['backend', 'script'],
    },
  },
  answer_key: {
    create: createMultiAgentTeacher,
    script: {
      open: async ({ tasks, teacher, seed }) => {
        const { answerKeyScript } = await import('./scripted/answerKeyScript.ts');
        return answerKeyScript(tasks, teacher.planted, seed);
      },
      keys: ['backend', 'planted'],
      dependsOn: ({ tasks, seed }) => ({ tasks, seed }),
    },
  },
  coa_model: {
    create: async ({ openStudent, ...parts }) => openCoaModelTeacher({ ...parts, ...(await openStudent()) }),
  },
};
