const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
const LOOK_EVERY_MS = 1_000;

type Prctl = (option: number, value: number | bigint) => number;

/** The part of Deno that is needed here. */
interface Deno {
	dlopen(
		path: string,
		functions: { readonly prctl: { readonly parameters: readonly ["i32", "u64"]; readonly result: "i32" } },
	): { readonly symbols: { readonly prctl: Prctl } };
}

/**
 * Has the kernel end this process together with the one that started it, however that one ends and whatever this one is doing: a busy or stopped
 * process would not see that its pipe is closed. Where this cannot be asked for, it looks for itself between two steps of its work.
 */
export function endWithParent(): void {
	const prctl = process.platform === "linux" ? systemCall() : undefined;
	if (prctl?.(PR_SET_PDEATHSIG, SIGKILL) === 0) return;
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid !== parent) process.exit(0);
	}, LOOK_EVERY_MS);
	timer.unref();
}

/** Undefined on Node, which calls no functions of libraries. */
function systemCall(): Prctl | undefined {
	for (const library of LIBRARIES) {
		try {
			return openLibrary(library);
		} catch {
			// Another C library.
		}
	}
	return undefined;
}

function openLibrary(path: string): Prctl | undefined {
	const { Deno } = globalThis as { Deno?: Deno };
	if (Deno) return Deno.dlopen(path, { prctl: { parameters: ["i32", "u64"], result: "i32" } }).symbols.prctl;
	const ffi = process.versions.bun && (process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi"));
	return ffi ? ffi.dlopen(path, { prctl: { args: ["i32", "u64"], returns: "i32" } }).symbols.prctl : undefined;
}
