x = a?(b):c=>a?(b):c=>(a?(b):{c:a?(b):d})
