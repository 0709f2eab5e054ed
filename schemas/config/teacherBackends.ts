/** What the configuration knows of a teacher backend; `teachers/teacherTable.ts` says how it is opened. */
interface TeacherBackend {
  /** `endpoint`: models of `teacher.endpoint`, which are paid; `own_server`: one that the run starts on the loopback. */
  readonly asks: 'endpoint' | 'own_server';
  /** `alone`: one model writes the whole trajectory. A team of agents where absent. */
  readonly plays?: 'alone';
  /** A key of `teacher` that it can't do without, and why. */
  readonly needs?: { readonly key: 'script'; readonly why: string };
}

/** The teacher backends by their name in the configuration. */
export const teacherBackends = {
  openai: { asks: 'endpoint' },
  scripted: {
    asks: 'own_server',
    needs: { key: 'script', why: 'the scripted backend plays a script' },
  },
  answer_key: { asks: 'own_server' },
  coa_model: { asks: 'endpoint', plays: 'alone' },
} as const satisfies Readonly<Record<string, TeacherBackend>>;

export type TeacherBackendName = keyof typeof teacherBackends;

export const teacherBackendNames = Object.keys(teacherBackends) as [TeacherBackendName];

/** The facts of a configuration's teacher backend. */
export function teacherBackendOf({ backend }: { readonly backend: TeacherBackendName }): TeacherBackend {
  return teacherBackends[backend];
}

/** True when a teacher asks the configured endpoint, which needs a key and costs money. */
export function asksEndpoint(teacher: { readonly backend: TeacherBackendName }): boolean {
  return teacherBackendOf(teacher).asks === 'endpoint';
}

/** True when one model plays every agent in one text. */
export function playsAlone(teacher: { readonly backend: TeacherBackendName }): boolean {
  return teacherBackendOf(teacher).plays === 'alone';
}
