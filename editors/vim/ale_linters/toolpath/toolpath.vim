call toolpath#ale#Define('toolpath')
