export default {
	// Pictures go from the service straight to the browser, in the sizes that <Image> asks for.
	images: { loader: "custom", loaderFile: "./loader.js" },
	// Next.js takes 1 MB by default; a picture may have 20.
	experimental: { serverActions: { bodySizeLimit: "21mb" } },
};
