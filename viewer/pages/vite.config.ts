import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Lists the built files; the server serves no others. */
function listFiles(): Plugin {
  let folder = '';
  return {
    name: 'list-files',
    configResolved: ({ build }) => {
      folder = build.outDir;
    },
    closeBundle: () => {
      const names = globSync('**/*.*', { cwd: folder }).filter((name) => name !== 'files.json');
      writeFileSync(join(folder, 'files.json'), JSON.stringify(names.sort()));
    },
  };
}

/** Pages of the viewer, built into the package: no polyfills, nothing inline, no source maps. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // First versions with light-dark(): lowered for older ones, colours would follow the system regardless of the
    // theme.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  plugins: [listFiles()],
});
