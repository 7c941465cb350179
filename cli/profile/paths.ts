/*
 * The two things that every command needs of node:path, which takes a quarter as long to load as Bun takes to start.
 */

const ABSOLUTE = /^(\/|\\\\|[A-Za-z]:[\\/])/;

/** A path as it is meant in a folder: from there on, unless it says itself where it begins. Both kinds of slash stay as they are. */
export function resolved(folder: string, path: string): string {
	return ABSOLUTE.test(path) ? path : below(folder, path.replace(/^(\.[\\/]+)+/, ""));
}

/** A path below a folder, with the slashes that the folder's own path has. */
export function below(folder: string, ...names: readonly string[]): string {
	const slash = /^([A-Za-z]:)?\\/.test(folder) ? "\\" : "/";
	return [folder.replace(/[\\/]+$/, ""), ...names].join(slash);
}
