/**
 * Node options with which a program writes the address of each module that it loads to its standard error. NODE_DEBUG=esm
 * says that too, among megabytes of other things.
 */
const hook = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    process.stderr.write(found.url + '\\n');
    return found;
  },
});`;

export const namesModules = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
