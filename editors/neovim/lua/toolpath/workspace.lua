-- Which buffers belong to Toolpath, and which folder is their workspace.
--
-- A *document* is a buffer that holds a Toolpath graph or stream. A *workspace* is the nearest
-- folder upward with `.git`, or without one the nearest folder that holds a document. A source file
-- belongs to Toolpath when its workspace holds a document.

local uv = vim.loop

local M = {}

-- Folders that hold no documents of the user's, and many files.
local skipped = { ['.git'] = true, ['.hg'] = true, ['.jj'] = true, node_modules = true, ['.venv'] = true }

-- How many folder entries each_document reads. Measured: about 3 ms for 2000 on a warm disk.
local entry_limit = 2000

-- How much of a JSON buffer is read to tell whether it is a document, in bytes.
local head_size = 65536

-- Workspaces that are known to hold a document: folder -> true. A folder that holds none is looked
-- at again for the next buffer, for another program may have written a document meanwhile.
local holding = {}

-- The file of a buffer as an absolute path, or nil for a buffer that is no file on disk.
local function file_of(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' or name:match('^%a[%w+.-]+://') then
    return nil
  end
  return vim.fn.fnamemodify(name, ':p')
end

local function is_document_name(name)
  return name:match('%.path%.jsonl?$') ~= nil
end

-- The first bytes of a buffer, also when it is one line of many megabytes.
local function head_of(bufnr)
  local parts, size = {}, 0
  for row = 0, vim.api.nvim_buf_line_count(bufnr) - 1 do
    local from = vim.api.nvim_buf_get_offset(bufnr, row)
    local width = vim.api.nvim_buf_get_offset(bufnr, row + 1) - from - 1
    width = math.max(0, math.min(width, head_size - size))
    parts[#parts + 1] = vim.api.nvim_buf_get_text(bufnr, row, 0, row, width, {})[1]
    size = size + width
    if size >= head_size then
      break
    end
  end
  return table.concat(parts, '\n')
end

local function has_document_content(bufnr)
  local head = head_of(bufnr)
  if head:match('^%s*{%s*"PathOpen"%s*:') then
    return true
  end
  return head:match('^%s*{') ~= nil and head:match('"graph"%s*:%s*{') ~= nil and head:match('"paths"%s*:%s*%[') ~= nil
end

-- Whether the buffer is a Toolpath document or a lineage log, by its name or, for other JSON, by how it begins. The
-- server looks closer; this only decides whether it is started.
function M.is_document(bufnr)
  local file = file_of(bufnr)
  if not file then
    return false
  end
  if is_document_name(file) or file:match('/%.sdd/lineage/.+%.jsonl$') then
    return true
  end
  return file:match('%.jsonl?$') ~= nil and has_document_content(bufnr)
end

local function holds_document_itself(dir)
  local entries = uv.fs_scandir(dir)
  while entries do
    local name = uv.fs_scandir_next(entries)
    if not name then
      return false
    end
    if is_document_name(name) then
      return true
    end
  end
  return false
end

-- The workspace of a file, or nil.
local function root_of(file)
  local nearest
  local dir = vim.fn.fnamemodify(file, ':h')
  while true do
    if uv.fs_stat(dir .. '/.git') then
      return dir
    end
    if not nearest and holds_document_itself(dir) then
      nearest = dir
    end
    local above = vim.fn.fnamemodify(dir, ':h')
    if above == dir then
      return nearest
    end
    dir = above
  end
end

-- Calls visit(dir, name) for each document in root, nearest folders first, until visit returns true or
-- entry_limit entries were read. Returns whether visit did.
function M.each_document(root, visit)
  local queue, next_dir, seen = { root }, 1, 0
  while queue[next_dir] do
    local dir = queue[next_dir]
    next_dir = next_dir + 1
    local entries = uv.fs_scandir(dir)
    while entries do
      local name, kind = uv.fs_scandir_next(entries)
      if not name then
        break
      end
      seen = seen + 1
      if seen > entry_limit then
        return false
      end
      if kind == 'directory' and not skipped[name] then
        queue[#queue + 1] = dir .. '/' .. name
      elseif kind ~= 'directory' and is_document_name(name) and visit(dir, name) then
        return true
      end
    end
  end
  return false
end

local function holds_document(root)
  if uv.fs_stat(root .. '/.sdd/lineage') then
    return true
  end
  return M.each_document(root, function()
    return true
  end)
end

-- The workspace folder of a buffer that belongs to Toolpath, or nil. The second result says that
-- this buffer is the first sign of documents in the workspace.
function M.of(bufnr)
  local file = file_of(bufnr)
  if not file then
    return nil
  end
  local root = root_of(file)
  if M.is_document(bufnr) then
    root = root or vim.fn.fnamemodify(file, ':h')
    local first = not holding[root]
    holding[root] = true
    return root, first
  end
  if not root then
    return nil
  end
  local first = not holding[root]
  if first and not holds_document(root) then
    return nil
  end
  holding[root] = true
  return root, first
end

return M
