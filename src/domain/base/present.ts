/** Drops fields that are undefined: an optional field of ours is absent, never undefined. Spread the result: `{ ...present({ x }) }`. */
export const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;

type Present<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
