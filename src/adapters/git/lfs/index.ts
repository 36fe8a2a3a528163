export {
  inspectLfs,
  isPointer,
  type LfsRules,
  lfsPaths,
  lfsRules,
  missingObjects,
  type Pointer,
  parsePointer,
  pointerLimit,
  pointerText,
  readPointers,
} from './attributes.ts';
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
