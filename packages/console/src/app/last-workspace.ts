const name = 'svc_workspace';

/** The workspace that was last open in this browser. */
export function lastWorkspace(): string | undefined {
  return localStorage.getItem(name) ?? undefined;
}

export function rememberWorkspace(id: string): void {
  localStorage.setItem(name, id);
}
