import { type Caller, form, send } from "./requests.ts";
import type { OpenService } from "./service.ts";

/** An upload ticket as it is answered, in what tests look at. */
export interface TicketAnswer {
	readonly id: string;
	readonly state: string;
	readonly url: string;
	readonly image_id: string;
	readonly user_id: string | null;
	readonly expires_at: string;
	readonly used_at: string | null;
	readonly attempts: number;
	readonly failure: { readonly code: string; readonly details?: object } | null;
}

/** A new ticket. @throws Error unless it was made */
export async function ticket(service: OpenService, body: object = {}, caller: Caller = {}): Promise<TicketAnswer> {
	const answer = await send(service, "POST", "/v1/upload_tickets", body, caller);
	if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as TicketAnswer;
}

/** A ticket as it is now. */
export async function readTicket(service: OpenService, id: string, caller: Caller = {}): Promise<TicketAnswer> {
	const answer = await send(service, "GET", `/v1/upload_tickets/${id}`, undefined, caller);
	if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as TicketAnswer;
}

/** An upload as a page or a phone sends it, without a key. */
export function useTicket(
	service: OpenService,
	{ url }: Pick<TicketAnswer, "url">,
	file: BlobPart | undefined,
	{ name = "photo.png", fields = {}, headers = {} }: UploadParts = {},
): Promise<Response> {
	return service.open(url, { method: "POST", body: form(file, name, fields), headers });
}

/** An upload whose second half is sent only after something else has happened, which begins once the first half was taken. */
export async function useTicketSlowly(
	service: OpenService,
	{ url }: Pick<TicketAnswer, "url">,
	file: BlobPart,
	meanwhile: () => Promise<unknown>,
): Promise<Response> {
	const whole = new Response(form(file, "slow.png"));
	const headers = { "Content-Type": whole.headers.get("content-type") ?? "" };
	const bytes = new Uint8Array(await whole.arrayBuffer());
	let taken = 0;
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				taken += 1;
				if (taken === 1) {
					controller.enqueue(bytes.slice(0, 100));
					return;
				}
				await meanwhile();
				controller.enqueue(bytes.slice(100));
				controller.close();
			},
		},
		// Asked for as it is read, and not ahead: whoever reads on has let the upload begin.
		{ highWaterMark: 0 },
	);
	return await service.open(url, { method: "POST", body, headers });
}

interface UploadParts {
	readonly name?: string;
	readonly fields?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
}
