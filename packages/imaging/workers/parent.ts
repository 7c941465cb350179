import { dlopen } from "bun:ffi";

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/**
 * Has the kernel end this process together with the one that started it, however that one ends and whatever this one is doing: a busy or stopped
 * process would not see that its pipe is closed. Where this cannot be asked for, the pipe has to do.
 */
export function endWithParent(): void {
	if (process.platform !== "linux") return;
	for (const library of LIBRARIES) {
		try {
			const { symbols } = dlopen(library, { prctl: { args: ["i32", "u64"], returns: "i32" } });
			symbols.prctl(PR_SET_PDEATHSIG, SIGKILL);
			return;
		} catch {
			// Another C library.
		}
	}
}
