/** Lets the processes and threads that tests start keep what Node compiled, as the command line does: each starts in half the time. */
import { enableCompileCache } from 'node:module';
import path from 'node:path';

const cache = process.env.XDG_CACHE_HOME;
if (cache) enableCompileCache(path.join(cache, 'coa-distill/compiled'));
