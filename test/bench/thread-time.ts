import { dlopen, ptr } from "bun:ffi";

/* What the thread that asks has used of a processor: work of other processes on the machine is not in it. On Linux. */

const CLOCK_THREAD_CPUTIME_ID = 3;
const { symbols } = dlopen("libc.so.6", { clock_gettime: { args: ["int", "ptr"], returns: "int" } });
/** Seconds and nanoseconds. */
const time = new BigInt64Array(2);
const place = ptr(time);

/** Milliseconds of processor time of this thread. The kernel's own figures in /proc are as coarse as its ticks. */
export function threadMs(): number {
	symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, place);
	return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
}
