// Writes docs/reference/*.md from the code itself. A test fails while they differ.
import { mkdirSync, writeFileSync } from 'node:fs';
import { references } from './references.ts';

const folder = new URL('../../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(await references())) writeFileSync(new URL(name, folder), text);
