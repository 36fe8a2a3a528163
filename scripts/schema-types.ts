/** As much of JSON Schema as the documents of the API use. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly description?: string;
};

/** The TypeScript type of what a schema accepts. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return oneOf(schema.enum.map((value) => JSON.stringify(value)));
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return oneOf(several.map(typeOf));
  if (schema.allOf !== undefined) return `(${schema.allOf.map(typeOf).join(' & ')})`;
  if (Array.isArray(schema.type)) return oneOf(schema.type.map((type: string) => typeOf({ ...schema, type })));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${typeOf(schema.items ?? {})}[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

const oneOf = (types: readonly string[]): string => (types.length === 1 ? (types[0] ?? '') : `(${types.join(' | ')})`);

function objectType({ properties = {}, required = [], additionalProperties, propertyNames }: Schema): string {
  const members = Object.entries(properties).map(([name, one]) => {
    const note = one.description === undefined ? '' : `/** ${one.description.replaceAll('*/', '* /')} */ `;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${note}${key}${required.includes(name) ? '' : '?'}: ${typeOf(one)}${required.includes(name) ? '' : ' | undefined'}`;
  });
  const rest = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : null;
  if (members.length === 0) return `Record<${propertyNames ? typeOf(propertyNames) : 'string'}, ${rest ?? 'never'}>`;
  return `{ ${[...members, ...(rest === null ? [] : [`[key: string]: ${rest}`])].join('; ')} }`;
}
