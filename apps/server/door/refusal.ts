import { COMMON_HEADERS } from "@svc/api/kit/headers";
import type { Failure } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import { newId } from "@svc/base/ids";

/** What is refused before any face has the request, in the form and with the headers of the API's refusals. */
export function refusal(failure: Failure, status: number, headers: Readonly<Record<string, string>> = {}): Response {
	return Response.json(errorBody(failure), {
		status,
		// Runtimes differ in what they say by themselves.
		headers: { ...COMMON_HEADERS, "Content-Type": "application/json", "X-Request-Id": newId("req"), ...headers },
	});
}
