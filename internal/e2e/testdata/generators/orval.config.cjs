module.exports = {
  sightline: {
    input: "openapi.json",
    output: { target: "generated/orval.ts", client: "fetch", baseUrl: process.env.SIGHTLINE_URL },
  },
};
