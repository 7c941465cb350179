/** The answer to a HEAD, from that to a GET, with the length of the body that it has not (RFC 9110, 8.6). For bodies that are in memory. */
export async function bodiless(answer: Response): Promise<Response> {
	const { byteLength } = await answer.arrayBuffer();
	answer.headers.set("Content-Length", String(byteLength));
	return new Response(null, answer);
}
