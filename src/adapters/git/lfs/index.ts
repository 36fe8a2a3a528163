export { type LfsRules, lfsPaths, lfsRules } from './attributes.ts';
export { giveObject } from './give-object.ts';
export { inspectLfs, missingObjects } from './inspect.ts';
export { personsStore } from './persons-store.ts';
export { isPointer, type Pointer, parsePointer, pointerLimit, pointerText } from './pointer.ts';
export { readPointers } from './read-pointers.ts';
export { findObject, keepObject, OtherContent, objectChunks, objectPath, pour } from './store.ts';
