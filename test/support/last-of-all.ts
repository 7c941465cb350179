/* What one process shares between its test files, and takes away after the last of them. */

type Work = () => void;

const last: Work[] = [];

/** The work may be done twice: where a program ends that is no test, and where tests do. */
export function afterAllFiles(work: Work): void {
	last.push(work);
	process.once("exit", work);
}

export function endAllFiles(): void {
	for (const work of last) work();
}
