import type { ModerationItem } from "@svc/sdk/shapes";
import { as, type TestPerson } from "./people.ts";
import { send } from "./requests.ts";
import type { OpenService } from "./service.ts";

/** What is there besides the fields that clients are promised. */
export interface Item extends ModerationItem {
	readonly revision: number;
	readonly reports_count: number;
}

export type Verb = "lock" | "unlock" | "block" | "unblock";

/** What an operator asks moderation for, as it is answered. */
export function act(
	service: OpenService,
	operator: Pick<TestPerson, "secret">,
	imageId: string,
	verb: Verb,
	body: object = {},
): Promise<Response> {
	return send(service, "POST", `/v1/moderation/images/${imageId}/${verb}`, body, as(operator));
}

/** The same, where it must succeed. */
export async function acted(...asked: Parameters<typeof act>): Promise<Item> {
	const response = await act(...asked);
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Item;
}

export async function itemOf(
	service: OpenService,
	operator: Pick<TestPerson, "secret">,
	imageId: string,
): Promise<Item> {
	const response = await send(service, "GET", `/v1/moderation/images/${imageId}`, undefined, as(operator));
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Item;
}

/** Ids of one page of a moderation list. */
export async function queueOf(
	service: OpenService,
	operator: Pick<TestPerson, "secret">,
	query: string,
): Promise<string[]> {
	const response = await send(service, "GET", `/v1/moderation/images?${query}`, undefined, as(operator));
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	const { data } = (await response.json()) as { data: { id: string }[] };
	return data.map(({ id }) => id);
}
