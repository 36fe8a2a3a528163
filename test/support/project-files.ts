import { readDocument } from '../../src/adapters/files/structured-text.ts';
import type { ProjectFiles } from '../../src/domain/check-definitions/reading.ts';

/** Files that are nowhere but here. */
export const projectFiles = (texts: Readonly<Record<string, string>>): ProjectFiles => ({
  paths: Object.keys(texts),
  has: (path) => Object.hasOwn(texts, path),
  text: (path) => texts[path] ?? null,
  linked: () => [],
  data: (path) => readDocument(path, texts[path] ?? '') ?? null,
});
