/** As much of JSON Schema as our own schemas use. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
};
export type Row = { readonly key: string; readonly takes: string; readonly note: string };

/** One row for every key, `a.b` within objects, `[]` for each of a list, `<name>` for names that a person chooses. */
export function schemaRows(schema: Schema, before = ''): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const row of rowsOf(schema, before)) rows.set(row.key, rows.get(row.key) ?? row);
  return [...rows.values()];
}

function rowsOf(schema: Schema, before: string): readonly Row[] {
  const inside = (one: Schema, key: string): readonly Row[] => rowsOf(one, key);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
      const key = before === '' ? name : `${before}.${name}`;
      return [{ key, takes: takes(one), note: cell(one.description ?? '') }, ...inside(one, key)];
    }),
    ...(schema.anyOf ?? []).flatMap((one) => inside(one, before)),
    ...(schema.items === undefined ? [] : inside(schema.items, `${before}[]`)),
    ...(typeof schema.additionalProperties === 'object' ? inside(schema.additionalProperties, `${before}.<name>`) : []),
  ];
}

function takes(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(takes))].join(' or ');
  if (schema.type === 'array') return `list of ${takes(schema.items ?? {})}`;
  if (schema.type === 'object') return 'mapping';
  return typeof schema.type === 'object' ? schema.type.join(' or ') : (schema.type ?? 'anything');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
