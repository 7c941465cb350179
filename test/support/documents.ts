import { openService } from "./service.ts";

/** The API document of an interface variant. */
export async function documentOf<Document>(
	variant: "current" | "transition" | "legacy" = "current",
): Promise<Document> {
	const service = await openService({ SVC_VARIANT: variant });
	const answer = await service.api("/openapi.json", { headers: {} });
	await service.close();
	return (await answer.json()) as Document;
}
