// The code of the chunks of the program: CommonJS that loads other chunks late.
import { transform } from 'esbuild';

/** What the code of all chunks uses. */
export const helpers = `const __defProp=Object.defineProperty,
  __export=(target,all)=>{for(const name in all)__defProp(target,name,{get:all[name],enumerable:true})};`;

/**
 * A file of several chunks. A chunk runs when it is loaded for the first time.
 *
 * @param {(readonly [name: string, code: string])[]} chunks
 */
export function groupCode(chunks) {
  const functions = chunks.map(
    ([name, code]) => `${JSON.stringify(name)}:function(exports,require,module){${code}}`,
  );
  return `const loaded=new Map, chunks={${functions}};
    function load(name){
      let module=loaded.get(name);
      if(!module){
        loaded.set(name,module={exports:{}});
        chunks[name](module.exports,require,module);
      }
      return module.exports;
    }
    module.exports={loaded,load};`;
}

/**
 * CommonJS that loads another chunk, or a module of Node, when a name of it is used for the first time.
 *
 * @param {string} text An ES module.
 * @param {ReadonlyMap<string, string>} groupOf The files of the chunks that are not files themselves.
 * @param {string} [group] The file that the code is part of.
 */
export async function commonJs(text, groupOf, group) {
  const required = text
    .replaceAll(/\bimport\(("(?:\.\/|node:)[^"]+")\)/g, 'Promise.resolve().then(()=>require($1))')
    // V8 loses what a script needs for import() when it takes the code of the script from a cache.
    .replaceAll(/\bimport\(("[^"]+")\)/g, 'importPackage($1)')
    // For the order only: no module but the first has side effects (package.json).
    .replaceAll(/\bimport"\.\/chunk-[^"]+";/g, '');
  const { code } = await transform(required, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const plain = code
    // Of the helpers of esbuild, __export is enough: no chunk needs an object with __esModule.
    .replace(
      /^var __.*?var stdin_exports=\{\};__export\(stdin_exports,(\{.*?\})\);module\.exports=__toCommonJS\(stdin_exports\);/s,
      '__export(exports,$1);',
    )
    .replace(/0&&\(module\.exports=\{[^}]*\}\);\s*$/, '')
    .replaceAll(/__toESM\((require\("(?:node:|\.\/)[^"]+"\))(?:,1)?\)/g, '$1')
    .replaceAll(/\b(import_node_\w+)\.default\b/g, '$1');
  const imported = /\b(import_\w+)=(require\("(?:node:|\.\/)[^"]+"\))/g;
  let lazy = plain.replaceAll(imported, '$1_');
  const getters = [...plain.matchAll(imported)].map(([, name, loaded]) => {
    lazy = lazy.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `lazy.${name}`);
    return `get ${name}(){return ${name}_??=${loaded}}`;
  });
  const linked = `const lazy={${getters}};${lazy}`
    .replaceAll(/\bfileUrl\b/g, 'require("node:url").pathToFileURL(__filename).href')
    .replaceAll(/\brequire\("\.\/([^"]+)"\)/g, (load, file) => {
      const other = groupOf.get(file);
      if (other === undefined) return load;
      return other === group ? `load("${file}")` : `require("./${other}").load("${file}")`;
    });
  if (/\bimport\(/.test(linked)) throw new Error('a chunk has an import() that is not replaced');
  // Keeps the names of functions at the top level, which stack traces show.
  return (await transform(linked, { minify: true, platform: 'node', target: 'node20.19' })).code;
}
