/** Loaded before a command by `signalAt`. */
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { COA_SIGNAL, COA_SIGNAL_AT = '' } = process.env;
const awaited = new RegExp(COA_SIGNAL_AT);
const open = promises.open;
let isSent = false;

promises.open = async (file, ...options) => {
  const handle = await open(file, ...options);
  if (!isSent && options[0] !== 'r' && awaited.test(String(file))) {
    isSent = true;
    process.kill(process.pid, COA_SIGNAL);
  }
  return handle;
};
syncBuiltinESMExports();
