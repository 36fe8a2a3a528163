/** Resolves `.` and `..` without following links. */
export function resolvePath(from: string, path: string): string {
  const steps: string[] = [];
  for (const step of (path.startsWith('/') ? path : `${from}/${path}`).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/** Returns the path relative to a directory above it, `''` for the directory itself, null elsewhere. Both must be resolved. */
export function below(directory: string, path: string): string | null {
  if (path === directory) return '';
  const prefix = directory === '/' ? '/' : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}
