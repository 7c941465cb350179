import { readFile } from "node:fs/promises";

/**
 * Milliseconds that the first thread of a process, on which its event loop runs, has had a processor (proc(5), schedstat). Between two looks a request
 * has waited for no more of the loop than that, whatever else the machine did. On Linux.
 */
export async function loopMs(pid: number): Promise<number> {
	const [ran = "0"] = (await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8")).split(" ");
	return Number(ran) / 1e6;
}
