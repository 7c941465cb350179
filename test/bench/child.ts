import { LAUNCH } from "./service.ts";

/* A process of the benchmark's own, so that its processor time and memory are nobody else's. It answers one question at a time. */

type Reply =
	| { readonly kind: "answer"; readonly answer: unknown }
	| { readonly kind: "fault"; readonly reason: string };

export interface Child extends AsyncDisposable {
	readonly pid: number;
	/** @throws Error with the child's own reason when it could not answer. */
	ask(question: unknown): Promise<unknown>;
}

/** Started with the launch environment of the service and nothing else but the path. */
export function startChild(file: string): Child {
	let pending: PromiseWithResolvers<unknown> | undefined;
	const child = Bun.spawn([process.execPath, new URL(file, import.meta.url).pathname], {
		// By default the runtime would hold back all but 256 requests.
		env: { PATH: process.env.PATH, ...LAUNCH, BUN_CONFIG_MAX_HTTP_REQUESTS: "8192" },
		stdio: ["ignore", "inherit", "inherit"],
		ipc(message: Reply) {
			if (message.kind === "answer") pending?.resolve(message.answer);
			else pending?.reject(new Error(message.reason));
		},
		onExit: () => pending?.reject(new Error(`${file} ended`)),
	});
	return {
		pid: child.pid,
		ask(question) {
			pending = Promise.withResolvers();
			child.send(question);
			return pending.promise;
		},
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
		},
	};
}

/** The child's side. It ends with its parent. */
export function answerParent<Question>(answer: (question: Question) => unknown): void {
	const reply = (message: Reply) => process.send?.(message);
	process.on("message", async (question: Question) => {
		try {
			reply({ kind: "answer", answer: await answer(question) });
		} catch (error) {
			reply({ kind: "fault", reason: String(error) });
		}
	});
	process.on("disconnect", () => process.exit(0));
}
