export { inspectLfs, type LfsRules, lfsPaths, lfsRules, missingObjects } from './attributes.ts';
export { isPointer, type Pointer, parsePointer, pointerLimit, pointerText, readPointers } from './pointer.ts';
export {
  findObject,
  giveObject,
  keepObject,
  OtherContent,
  objectChunks,
  objectPath,
  personsStore,
  pour,
} from './store.ts';
