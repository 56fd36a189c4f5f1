# The gateway alone, for a Neo4j elsewhere (docker-compose.yml); the embedded store is in the wheel too.
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE requirements.lock ./
COPY app ./app
COPY cypher ./cypher
RUN python -m venv /opt/agw && PIP_CONSTRAINT=/src/requirements.lock /opt/agw/bin/pip install --no-cache-dir .

FROM python:3.12-slim
LABEL org.opencontainers.image.title="Agent Graph Gateway" org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin agw && install -d -o agw -g agw -m 700 /data
COPY --from=build /opt/agw /opt/agw
ENV PATH=/opt/agw/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 AGW_HOST=0.0.0.0 AGW_PORT=8080 AGW_DATA_DIR=/data AGW_LOG_FORMAT=json
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/readyz', timeout=2.5)"]
ENTRYPOINT ["agw"]
CMD ["serve"]
